/// ARS by the AES instructions of 128 bits (2010).

#include "random/ars/registers.hpp"

namespace pearlite::random::ars_kernels {

const Kernels aes_kernels = {"aes", generate<One>, fill<One>, encrypt<One, One>};

} // namespace pearlite::random::ars_kernels
