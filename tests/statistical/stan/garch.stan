// GARCH(1, 1) with flat priors on the region where it is stationary; the first variance is given.
data { int<lower=0> T; real y[T]; real<lower=0> sigma1; }
parameters {
  real mu;
  real<lower=0> alpha0;
  real<lower=0, upper=1> alpha1;
  real<lower=0, upper=1 - alpha1> beta1;
}
model {
  real v = square(sigma1);
  for (t in 1:T) {
    if (t > 1) v = alpha0 + alpha1 * square(y[t - 1] - mu) + beta1 * v;
    y[t] ~ normal(mu, sqrt(v));
  }
}
