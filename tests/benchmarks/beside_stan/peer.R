# Rscript peer.R PROGRAM.stan SEEDS DATA.json
# NUTS by rstan, 4 chains of 1000 draws after 1000 of warm-up, and bridge sampling: a line of the log evidence, its stated
# error and processor seconds for each seed, without compilation.
suppressMessages({library(rstan); library(jsonlite)})
arguments <- commandArgs(trailingOnly = TRUE)
processor <- function() sum(proc.time()[c("user.self", "sys.self")])
rstan_options(boost_lib = "/usr/include", boost_lib2 = "/usr/include")
model <- stan_model(arguments[1])
data <- fromJSON(arguments[3])
for (seed in 1:as.integer(arguments[2])) {
  began <- processor()
  fit <- sampling(model, data = data, chains = 4, cores = 1, warmup = 1000, iter = 2000, seed = seed, refresh = 0)
  set.seed(seed)
  bridge <- bridgesampling::bridge_sampler(fit, silent = TRUE)
  cat("row", bridge$logml, sqrt(bridgesampling::error_measures(bridge)$re2), processor() - began, "\n")
}
