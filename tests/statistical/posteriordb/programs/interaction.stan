data { int<lower=1> N; vector[N] score, school, iq; }
parameters { vector[4] beta; real<lower=0> sigma; }
model {
  beta ~ normal(0, 10);
  sigma ~ cauchy(0, 2.5);
  score ~ normal(beta[1] + beta[2] * school + beta[3] * iq + beta[4] * school .* iq, sigma);
}
