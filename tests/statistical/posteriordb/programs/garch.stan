data { int<lower=1> T; array[T] real r; }
parameters { real<lower=0> omega; real<lower=0, upper=1> alpha; real<lower=0, upper=1 - alpha> beta; }
transformed parameters {
  array[T] real<lower=0> scale;
  scale[1] = 1;
  for (t in 2 : T) scale[t] = sqrt(omega + alpha * square(r[t - 1]) + beta * square(scale[t - 1]));
}
model {
  omega ~ lognormal(-1, 1);
  r ~ normal(0, scale);
}
