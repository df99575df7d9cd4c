// A stiff solver for dx/dt = -rate x, x(0) = 1, observed with noise: CVODES.
functions {
  array[] real decay(real t, array[] real x, array[] real rate, array[] real x_r, array[] int x_i) {
    return {-rate[1] * x[1]};
  }
}
data {
  int<lower=1> N;
  array[N] real<lower=0> t;
  array[N] real y;
}
parameters {
  real<lower=0> rate;
}
model {
  array[N, 1] real x = integrate_ode_bdf(decay, {1.0}, 0.0, t, {rate}, rep_array(0.0, 0), rep_array(0, 0), 1e-8, 1e-10, 100000);
  rate ~ lognormal(0, 1);
  y ~ normal(x[ : , 1], 0.1);
}
