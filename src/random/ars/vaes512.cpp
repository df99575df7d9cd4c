/// ARS by AES instructions on registers of 512 bits.

#include "random/ars/four.hpp"

namespace pearlite::random::ars_kernels {

const Kernels vaes512_kernels = {"vaes512", generate<One>, fill<Four>, encrypt<Four, One>};

} // namespace pearlite::random::ars_kernels
