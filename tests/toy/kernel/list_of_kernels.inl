#include "../../../src/kernel/list_of_kernels.inl"
PEARLITE_KERNEL(toy)
