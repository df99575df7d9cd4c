// Children's test scores (Gelman & Hill 2007) by their mothers' schooling and intelligence.
data { int<lower=0> N; vector[N] kid_score; vector[N] mom_hs; vector[N] mom_iq; }
parameters { vector[4] beta; real<lower=0> sigma; }
model {
  target += cauchy_lpdf(sigma | 0, 2.5);
  target += normal_lpdf(kid_score | beta[1] + beta[2] * mom_hs + beta[3] * mom_iq + beta[4] * (mom_hs .* mom_iq), sigma);
}
