functions {
  array[] real growth(real t, array[] real x, array[] real rates, array[] real x_r, array[] int x_i) {
    return {rates[1] * x[1] * (1 - x[1] / rates[2])};
  }
}
data { int<lower=1> N; array[N] real<lower=0> t; array[N] real<lower=0> y; }
parameters { real<lower=0> rate, capacity; real<lower=0> sigma; }
model {
  array[N, 1] real x = integrate_ode_rk45(growth, {1.0}, 0.0, t, {rate, capacity}, rep_array(0.0, 0), rep_array(0, 0));
  rate ~ lognormal(0, 0.5);
  capacity ~ lognormal(2, 0.5);
  sigma ~ lognormal(-1, 0.5);
  y ~ lognormal(log(x[ : , 1]), sigma);
}
