#include "pearlite/app/catalogue.hpp"

#include "pearlite/app/run.hpp"

namespace pearlite::app {

std::unique_ptr<Run> BuiltModel::make_search(const parallel::Communicator&, const SearchPlan&) const {
    return nullptr;
}

} // namespace pearlite::app
