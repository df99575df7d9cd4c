// A hidden Markov model of two states with unit variance, summed over the states forwards; any first state.
data { int<lower=1> N; int<lower=2, upper=2> K; real y[N]; }
parameters { simplex[K] transition[K]; positive_ordered[K] mu; }
model {
  vector[K] forward;
  mu[1] ~ normal(3, 1);
  mu[2] ~ normal(10, 1);
  for (k in 1:K) forward[k] = normal_lpdf(y[1] | mu[k], 1);
  for (n in 2:N) {
    vector[K] next;
    for (k in 1:K) {
      vector[K] terms;
      for (j in 1:K) terms[j] = forward[j] + log(transition[j, k]);
      next[k] = log_sum_exp(terms) + normal_lpdf(y[n] | mu[k], 1);
    }
    forward = next;
  }
  target += log_sum_exp(forward);
}
