#include "kernel/search/box/box_operation.hpp"

namespace pearlite::kernel {

namespace {

/// x' = -x.
void reflect(BoxDraft draft, const BoxOperationSettings&, const model::BlockStreams&) {
    draft.proposed() = -draft.points();
}

} // namespace

BoxOperationEntry toy_operation() {
    return {.operation = {.name = "toy"}, .about = "the other side of the origin", .mutate = reflect};
}

} // namespace pearlite::kernel
