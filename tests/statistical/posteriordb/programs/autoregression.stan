data { int<lower=1> T; array[T] real y; }
parameters { real alpha; real<lower=-1, upper=1> beta; real<lower=0> sigma; }
model {
  alpha ~ normal(0, 2);
  sigma ~ lognormal(0, 1);
  for (t in 2 : T) y[t] ~ normal(alpha + beta * y[t - 1], sigma);
}
