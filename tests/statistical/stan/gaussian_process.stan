// Regression by a Gaussian process with a squared-exponential kernel.
data { int<lower=1> N; real x[N]; vector[N] y; }
parameters { real<lower=0> length; real<lower=0> amplitude; real<lower=0> noise; }
model {
  matrix[N, N] covariance = cov_exp_quad(x, amplitude, length);
  for (n in 1:N) covariance[n, n] += square(noise) + 1e-9;
  length ~ lognormal(0, 1);
  amplitude ~ lognormal(0, 1);
  noise ~ lognormal(-1, 1);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(covariance));
}
