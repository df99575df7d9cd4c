// y_n ~ N(mu, 1) in K dimensions with mu ~ N(0, 1), in words that Stan has had since 2.21; further parameters have
// densities of integral 1.
functions {
#include modern_part.stan
}
data {
  int<lower=0> N, K;
  array[N] vector[K] y;
}
transformed data {
  array[2] real scale;
  scale[1] = norm(ones_vector(4)) / 2;
  matrix[K, K] unit = identity_matrix(K);
  array[2, 3] real shape = rep_array(scale[1], 2, 3);
}
parameters {
  vector[K] mu;
  matrix[2, 3] table;
  array[2] vector<lower=0, upper=1>[2] share;
}
transformed parameters {
  vector[K] moved;
  moved = unit * mu;
  array[2, 3] real copied;
  for (i in 1:2) for (j in 1:3) copied[i, j] = table[i, j] * shape[i, j];
}
model {
  target += std_normal_lpdf(mu);
  profile("data") {
    target += reduce_sum(part_lupdf, y, 1, moved[1:size(mu)]);
  }
  array[2] real sizes = {0, 1};
  to_vector(table) ~ normal(sizes[1], sizes[2]);
  real limit = 1;
  share[1] ~ uniform(0, limit);
  share[2] ~ uniform(0, limit);
}
generated quantities {
  array[N] vector[K] y_rep;
  for (n in 1:N) y_rep[n] = to_vector(normal_rng(mu, 1));
}
