// The pearlite command with the targets of the league table: densities of known evidence by keys of their [model]
// table, with a gradient or, under the same name and "-plain", without.
//
//     league_targets run FILE ...             as pearlite
//     league_targets nested FILE SEED         a plain nested sampler: log Z, its error, the exact value, seconds
#include "factors.hpp"
#include "mixtures.hpp"
#include "pearlite/app/custom_model.hpp"
#include "plain_nested.hpp"
#include "shapes.hpp"

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace {

using namespace pearlite;

/// The members that the nested sampler needs, of the built-in model.
class Gaussian {
  public:
    explicit Gaussian(io::Section& section) : dimension_(section.integer("dimension", 1)) {}
    std::vector<std::string> parameter_names() const { return league::coordinate_names(dimension_); }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.normal();
    }
    double log_prior(std::span<const double> x) const { return sum_of(x, 1); }
    /// Precision 10 beside the prior's 1.
    double log_likelihood(std::span<const double> x) const {
        double squares = 0;
        for (const double value : x)
            squares += value * value;
        return -4.5 * squares;
    }
    std::optional<double> exact_log_ratio() const { return -0.5 * static_cast<double>(dimension_) * std::log(10.0); }

  private:
    static double sum_of(std::span<const double> x, double sd) {
        double sum = 0;
        for (const double value : x)
            sum += league::log_normal(value, sd);
        return sum;
    }
    Index dimension_;
};

/// Calls use(type) with the class of a model's name.
template <class Use>
void with_target(const std::string& name, const Use& use) {
    const std::string plain = "-plain",
                      kind = name.ends_with(plain) ? name.substr(0, name.size() - plain.size()) : name;
    if (kind == "factors")
        use(std::type_identity<league::Factors>());
    else if (kind == "mixture")
        use(std::type_identity<league::Mixture>());
    else if (kind == "bent")
        use(std::type_identity<league::Bent>());
    else if (kind == "shells")
        use(std::type_identity<league::Shells>());
    else if (kind == "hierarchy")
        use(std::type_identity<league::Hierarchy>());
    else if (kind == "two-boxes")
        use(std::type_identity<league::TwoBoxes>());
    else if (kind == "gaussian")
        use(std::type_identity<Gaussian>());
    else
        throw InputError("model.name = \"" + name + "\" is no target of the league table");
}

int run_nested(const char* file, const char* seed) {
    auto configuration = io::Configuration::load(file);
    auto section = configuration.section("model");
    with_target(section.text("name"), [&]<class D>(std::type_identity<D>) {
        const D density(section);
        configuration.check_asked();
        const auto found = league::plain_nested(density, std::strtoull(seed, nullptr, 10));
        std::printf("%.9g %.4g %.12g %.3f\n", found.log_z, found.error, density.exact_log_ratio().value(),
                    found.seconds);
    });
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 4 && std::string(argv[1]) == "nested")
            return run_nested(argv[2], argv[3]);
    } catch (const InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    auto models = app::built_in_models();
    const auto add = [&]<class D>(std::type_identity<D>, const std::string& name, const std::string& description) {
        models.push_back(app::custom_model<league::WithGradient<D>>(name, description));
        models.push_back(app::custom_model<D>(name + "-plain", description + ", without a gradient"));
    };
    add(std::type_identity<league::Factors>(), "factors", "a posterior of independent coordinates");
    add(std::type_identity<league::Mixture>(), "mixture", "a likelihood of normal components");
    add(std::type_identity<league::Bent>(), "bent", "a posterior of a curved shape");
    add(std::type_identity<league::Shells>(), "shells", "thin shells in a cube");
    add(std::type_identity<league::Hierarchy>(), "hierarchy", "effects about a common mean");
    models.push_back(app::custom_model<league::TwoBoxes>("two-boxes", "a likelihood that is positive in two cubes"));
    return app::main(argc, argv, models);
}
