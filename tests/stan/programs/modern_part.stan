  real part_lpdf(array[] vector part, int first, int last, vector mu) {
    real all = 0;
    for (n in 1:size(part)) {
      all += normal_lupdf(part[n] | mu, 1);
    }
    int number = last - first + 1;
    if (number != size(part))
      reject("not all: ", number);
    return all;
  }
  real norm(vector x) {
    return sqrt(dot_self(x));
  }
