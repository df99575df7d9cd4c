#include "pearlite/model/detail/located.hpp"

#include "pearlite/core/detail/point_error.hpp"

#include <fmt/format.h>

#include <string_view>

namespace pearlite::model {

namespace {

bool says_where(std::string_view message) {
    return message.find(" at step ") != std::string_view::npos;
}

} // namespace

void throw_located(const std::exception_ptr& error, const BlockStreams& streams, Index n) {
    try {
        std::rethrow_exception(error);
    } catch (const PointError& e) {
        e.throw_at(fmt::format("step {}, particle {}", streams.run_step, streams.first_slot + e.point()));
    } catch (const Error& e) {
        if (e.is_agreed() || says_where(e.what()))
            throw;
    } catch (...) { // described below
    }
    const auto report = describe(error);
    throw_error(report.kind, fmt::format("{} at step {}, particles {} to {}", report.message, streams.run_step,
                                         streams.first_slot, streams.first_slot + n - 1));
}

} // namespace pearlite::model
