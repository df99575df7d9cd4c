# Translates Stan programs to C++: Rscript translate.R PROGRAM NAME TRANSLATION ... writes each TRANSLATION, or none and
# the translator's words, behind a line that names the program.
arguments <- matrix(commandArgs(TRUE), nrow = 3)
if (!requireNamespace("rstan", quietly = TRUE)) {
    cat("the package rstan of R is not installed (Debian: r-cran-rstan)\n")
    quit(status = 2)
}
for (k in seq_len(ncol(arguments))) {
    cat("\npearlite-program ", k - 1, "\n", sep = "")
    flush(stdout())
    code <- tryCatch(rstan::stanc(arguments[1, k], model_name = arguments[2, k], obfuscate_model_name = FALSE)$cppcode,
                     error = function(e) { cat(conditionMessage(e), "\n", sep = ""); flush(stdout()); NULL })
    if (!is.null(code))
        cat(code, file = arguments[3, k])
}
