data { int<lower=1> N; vector[N] x; array[N] int<lower=0> y; }
parameters { array[2] real beta; real<lower=0> phi; }
model {
  beta ~ normal(0, 1);
  phi ~ gamma(3, 0.5);
  y ~ neg_binomial_2_log(beta[1] + beta[2] * x, phi);
}
