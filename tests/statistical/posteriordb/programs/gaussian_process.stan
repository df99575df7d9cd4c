data { int<lower=1> N; array[N] real x; vector[N] y; }
parameters { real<lower=0> rho, alpha, sigma; }
model {
  matrix[N, N] cov = gp_exp_quad_cov(x, alpha, rho) + diag_matrix(rep_vector(square(sigma), N));
  rho ~ inv_gamma(4, 4);
  alpha ~ gamma(3, 2);
  sigma ~ gamma(3, 6);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(cov));
}
