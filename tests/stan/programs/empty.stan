// A regression that may have no rows; all constants are kept, so that without rows the evidence is 1.
data {
  int<lower=0> N;
  int<lower=1> K;
  int refuses;
  vector[N] y;
  matrix[N, K] x;
  matrix[2, K] blocks[N];
  int group[N];
}
parameters {
  real alpha;
  vector[K] beta;
  vector[N] shift;
}
model {
  if (refuses)
    reject("no point will do");
  target += normal_lpdf(alpha | 0, 1);
  target += normal_lpdf(beta | 0, 1);
  target += normal_lpdf(shift | 0, 1);
  for (n in 1:N) {
    target += normal_lpdf(y[n] | alpha + x[n] * beta + shift[group[n]], 1);
    target += normal_lpdf(y[n] | blocks[n] * beta, 1);
  }
}
