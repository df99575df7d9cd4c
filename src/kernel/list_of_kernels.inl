// The kernels of the package, one line each: the kernel's source defines <name>_entry(). The first one that suits a
// model is its default.
PEARLITE_KERNEL(hamiltonian)
PEARLITE_KERNEL(random_walk)
PEARLITE_KERNEL(langevin)
PEARLITE_KERNEL(riemannian)
PEARLITE_KERNEL(slice)
PEARLITE_KERNEL(student_proposals)
PEARLITE_KERNEL(kernel_mixture)
PEARLITE_KERNEL(native)
