// The pearlite command with additional models: a normal density whose likelihood fails on one rank or is slow, and
// models that never return.
#include "hanging_models.hpp"

#include "pearlite/app/command_line.hpp"
#include "pearlite/kernel/detail/box_functions.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"
#include "pearlite/path/tempered.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <thread>

namespace {

using namespace pearlite;

enum class Fault { not_a_number, exception, slow };

Index this_rank() {
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    return std::atoll(rank != nullptr ? rank : "0");
}

/// N(0, 1) twice: log Z is that of a product of normal densities until the fault.
class Faulty {
  public:
    /// Goes wrong at the evaluation number `after` of this process if it is `failing_rank`. Any other rank ends its
    /// process at the evaluation number `most`: it did not learn of the fault.
    Faulty(Fault fault, Index failing_rank, Index after, Index most)
        : fault_(fault), after_(after), most_(most), fails_(this_rank() == failing_rank) {}

    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const {
        return -0.5 * x[0] * x[0] - 0.5 * std::log(2 * std::numbers::pi);
    }
    double log_likelihood(std::span<const double> x) const {
        ++evaluations_;
        if (!fails_ && evaluations_ > most_) {
            std::fprintf(stderr, "rank %lld goes on\n", static_cast<long long>(this_rank()));
            std::_Exit(EXIT_FAILURE);
        }
        if (fails_ && evaluations_ > after_) {
            if (fault_ == Fault::slow) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return -0.5 * x[0] * x[0];
            }
            if (fault_ == Fault::exception)
                throw std::runtime_error("the library of the model gave up");
            return std::numeric_limits<double>::quiet_NaN();
        }
        return -0.5 * x[0] * x[0];
    }

  private:
    Fault fault_;
    Index after_, most_;
    bool fails_;
    mutable Index evaluations_ = 0;
};

/// |x|^2 in a square until the fault.
class FaultyEnergy {
  public:
    FaultyEnergy(Index failing_rank, Index after) : after_(after), fails_(this_rank() == failing_rank) {}

    Index dimension() const { return 2; }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    double energy(std::span<const double> x) const {
        if (fails_ && ++evaluations_ > after_)
            throw std::runtime_error("the energy gave up");
        return x[0] * x[0] + x[1] * x[1];
    }
    void fingerprint(model::Fingerprint&) const {}

  private:
    std::array<double, 2> lower_{-1, -1}, upper_{1, 1};
    Index after_;
    bool fails_;
    mutable Index evaluations_ = 0;
};

std::unique_ptr<app::BuiltModel> build_faulty_energy(io::Configuration& configuration, io::Section& section) {
    const Index rank = section.integer("rank", {});
    const Index after = section.integer("after", {});
    if (configuration.has_errors())
        return nullptr;
    return kernel::searched(std::make_shared<const kernel::BoxFunctionsOf<FaultyEnergy>>(FaultyEnergy(rank, after)));
}

std::unique_ptr<app::BuiltModel> build_faulty(io::Configuration& configuration, io::Section& section) {
    const auto fault = section.choice("fault", {"nan", "exception", "slow"}, {});
    const Index rank = section.integer("rank", {});
    const Index after = section.integer("after", {});
    const Index most = section.integer("most", std::numeric_limits<Index>::max());
    if (configuration.has_errors())
        return nullptr;
    Faulty density(fault == "nan"    ? Fault::not_a_number
                   : fault == "slow" ? Fault::slow
                                     : Fault::exception,
                   rank, after, most);
    return model::annealed(path::tempered(density));
}

} // namespace

int main(int argc, char** argv) {
    auto models = app::built_in_models();
    models.push_back({{"faulty", 16, 4096, true}, "fails on one rank", build_faulty});
    models.back().traits.is_time_reversible = true;
    models.push_back(
        model::searched_entry("faulty-energy", "fails on one rank", kernel::box_search_traits(), build_faulty_energy));
    for (auto& entry : faults::hanging_models())
        models.push_back(std::move(entry));
    return app::main(argc, argv, models);
}
