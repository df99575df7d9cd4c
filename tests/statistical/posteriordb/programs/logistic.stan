data { int<lower=1> N, K; matrix[N, K] x; array[N] int<lower=0, upper=1> y; }
parameters { real intercept; vector[K] beta; }
model {
  intercept ~ normal(0, 2);
  beta ~ normal(0, 2);
  y ~ bernoulli_logit_glm(x, intercept, beta);
}
