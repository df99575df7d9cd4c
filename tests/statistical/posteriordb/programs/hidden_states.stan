data { int<lower=1> N, K; array[N] real y; }
parameters { array[K] simplex[K] theta; positive_ordered[K] mu; }
model {
  vector[K] gamma;
  mu[1] ~ normal(3, 1);
  mu[2] ~ normal(10, 1);
  for (k in 1 : K) gamma[k] = normal_lpdf(y[1] | mu[k], 1);
  for (t in 2 : N) {
    vector[K] before = gamma;
    for (k in 1 : K) {
      array[K] real acc;
      for (j in 1 : K) acc[j] = before[j] + log(theta[j, k]);
      gamma[k] = log_sum_exp(acc) + normal_lpdf(y[t] | mu[k], 1);
    }
  }
  target += log_sum_exp(gamma);
}
