// Rubin (1981), with schools as deviations from their mean.
data { int<lower=0> J; real y[J]; real<lower=0> sigma[J]; }
parameters { real mu; real<lower=0> tau; vector[J] z; }
transformed parameters { vector[J] theta; theta = mu + tau * z; }
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  z ~ normal(0, 1);
  y ~ normal(theta, sigma);
}
generated quantities {
  vector[J] log_lik; vector[J] y_rep;
  for (j in 1:J) { log_lik[j] = normal_lpdf(y[j] | theta[j], sigma[j]); y_rep[j] = normal_rng(theta[j], sigma[j]); }
}
