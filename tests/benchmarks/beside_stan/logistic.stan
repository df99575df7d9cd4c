// A logistic regression. Increments of target, since bridge sampling needs the constants, which rstan leaves out of
// statements with ~.
data { int<lower=0> N; int<lower=1> D; matrix[N, D] x; int<lower=0, upper=1> y[N]; }
parameters { vector[D] beta; }
model {
  target += normal_lpdf(beta | 0, 2.5);
  target += bernoulli_logit_lpmf(y | x * beta);
}
