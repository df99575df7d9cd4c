#pragma once
/// The visitor to which a state lists its fields, once: it writes them, or reads them back.

#include "core/sharded_field.hpp"
#include "pearlite/core/types.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::parallel {
class Communicator;
}

namespace pearlite {

/// Replicated values are those of rank 0 when written, and the same on every rank once read. All calls are collective
/// where files are.
class Fields {
  public:
    virtual ~Fields() = default;
    virtual bool is_reading() const = 0;

    virtual void operator()(std::string_view name, bool& value) = 0;
    virtual void operator()(std::string_view name, double& value) = 0;
    virtual void operator()(std::string_view name, std::int64_t& value) = 0;
    virtual void operator()(std::string_view name, std::uint64_t& value) = 0;
    virtual void operator()(std::string_view name, std::string& value) = 0;
    virtual void operator()(std::string_view name, std::vector<double>& value) = 0;
    virtual void operator()(std::string_view name, std::vector<std::int64_t>& value) = 0;
    virtual void operator()(std::string_view name, std::vector<std::string>& value) = 0;
    virtual void operator()(std::string_view name, Matrix& value) = 0; ///< rows x columns

    /// Items of which each rank holds a contiguous run. When written, the field must stay valid until all are.
    virtual void sharded(std::string_view name, const ShardedField& field) = 0;

    /// Reading by some of the ranks, of which this rank is one: the calls in `read` are collective among these.
    virtual void read_among(const parallel::Communicator& /*some*/, const std::function<void()>& read) { read(); }

    /// All names until leave() belong to this group.
    virtual void enter(std::string_view group) = 0;
    virtual void leave() = 0;
};

/// A part of a state, which lists its own fields, in a group.
template <class Part>
void group(Fields& f, std::string_view name, Part& part) {
    f.enter(name);
    part.fields(f);
    f.leave();
}

} // namespace pearlite
