# Means, standard deviations and the integral of a Stan program by rstan's NUTS and bridge sampling, for study.py.
# usage: Rscript nuts.R PROGRAM.stan DATA.json DRAWS bridge|moments RESULT.json SEED...
# Four chains of DRAWS each, after as many of warm-up, at most 1000; one core, compilation not counted.
suppressMessages({library(rstan); library(jsonlite)})
arguments <- commandArgs(trailingOnly = TRUE)
draws <- as.integer(arguments[3])
with_bridge <- arguments[4] == "bridge"
processor <- function() sum(proc.time()[c("user.self", "sys.self")])
# Debian's R has Boost's headers in /usr/include, where rstan does not look.
rstan_options(boost_lib = "/usr/include", boost_lib2 = "/usr/include")
model <- stan_model(arguments[1])
data <- fromJSON(arguments[2])
warmup <- min(draws, 1000)
results <- lapply(as.integer(arguments[-(1:5)]), function(seed) {
  start <- processor()
  fit <- sampling(model, data = data, chains = 4, cores = 1, warmup = warmup, iter = draws + warmup, seed = seed,
                  refresh = 0)
  table <- summary(fit)$summary
  found <- list(seed = seed, names = rownames(table), mean = unname(table[, "mean"]), sd = unname(table[, "sd"]),
                mcse = unname(table[, "se_mean"]), rhat = unname(table[, "Rhat"]))
  if (with_bridge) {
    set.seed(seed)
    bridge <- bridgesampling::bridge_sampler(fit, silent = TRUE)
    found$log_integral <- bridge$logml
    found$standard_error <- sqrt(bridgesampling::error_measures(bridge)$re2)
  }
  found$seconds <- processor() - start
  found
})
write_json(results, arguments[5], auto_unbox = TRUE, digits = NA)
