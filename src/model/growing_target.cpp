#include "pearlite/model/detail/growing_target.hpp"

#include "pearlite/core/error.hpp"

namespace pearlite::model {

void GrowingStage::draw_seeds(Block&, const BlockStreams&) const {
    throw ContractViolation("this target has no seeds");
}

} // namespace pearlite::model
