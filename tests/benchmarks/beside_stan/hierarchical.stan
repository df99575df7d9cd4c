// Groups whose means vary normally: given mu and tau the groups integrate to normals. Increments of target, since bridge
// sampling needs the constants, which rstan leaves out of statements with ~.
data { int<lower=1> J; vector[J] y; }
parameters { real mu; real<lower=0> tau; vector[J] z; }
model {
  target += normal_lpdf(mu | 0, 5);
  target += lognormal_lpdf(tau | 0, 1);
  target += normal_lpdf(z | 0, 1);
  target += normal_lpdf(y | mu + tau * z, 1);
}
