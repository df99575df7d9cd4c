#include "models/common/estimated_likelihood.hpp"
#include "models/common/reading.hpp"
#include "models/common/table.hpp"
#include "models/registry.hpp"
#include "models/state_space/growing/growing_linear_gaussian.hpp"
#include "models/state_space/growing/growing_volatility.hpp"
#include "models/state_space/stochastic_volatility.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

namespace pearlite::models {

namespace {

void list_filter(Keys& k, FilterSettings& filter, const Choices<FilterKind>& kinds) {
    k("filter", filter.kind, kinds, "the particle filter");
    k("particles", filter.particles, within(2, 10'000'000), "number of the filter's particles");
    k("resample_below", filter.resample_below, at_least(0),
      "resample when the effective sample size falls below this share of the particles; above 1: every step");
}

/// Lists the keys of [growth] that are no parameters.
void list_lag(Keys& k, std::optional<Index>& lag) {
    k("lag", lag, at_least(1), about("number of the last states that a sweep moves").default_is("all of them"));
}

/// States of a process that grow at fixed parameters, which may be a mistake of [growth].
template <class Process, class Parameters>
std::shared_ptr<const model::Growth> growth_at(io::Configuration& configuration, const std::string& key,
                                               const Parameters& parameters, const std::vector<double>& observations,
                                               const FilterSettings& filter, std::optional<Index> lag) {
    if (!parameters.valid()) {
        configuration.error(key, "the states' stationary variance is not a finite number above 0");
        return nullptr;
    }
    const bool adapted = filter.kind == FilterKind::adapted;
    return growth_by_time(std::make_shared<const Process>(parameters, observations, adapted), lag);
}

/// A column of a table whose rows are times.
struct SeriesKeys {
    std::string column = "y";
    std::optional<std::string> dates;
    MissingKeys missing;

    void keys(Keys& k) {
        k("column", column, "the column of the table");
        k("dates", dates, about("a column of dates, YYYY-MM-DD, which must ascend").may_be_left_out());
        missing.keys(k, "which leaves their times empty", false);
    }
    /// NaN where a value is missing. InputError for a column without a value.
    Vector numbers(const io::Frame& frame) const {
        if (missing.rule == MissingKeys::Rule::refuse)
            return frame.numbers(column);
        Vector values = frame.numbers_or_missing(column, missing.texts);
        if (values.array().isNaN().all())
            throw InputError(frame.source() + ": a value is missing in every row, expected a whole one");
        return values;
    }
};

/// "38 of 120 values of 'y' are missing (lines 8, 11, ...): ..."; empty if none is.
std::string remark_on_missing(const io::Frame& frame, const std::string& column, const Vector& values) {
    constexpr std::size_t most = 10;
    const auto times = missing_times({values.data(), at(values.size())});
    if (times.empty())
        return {};
    std::string lines;
    for (std::size_t k = 0; k < std::min(most, times.size()); ++k)
        lines += fmt::format("{}{}", k == 0 ? "" : ", ", frame.line(times[k]));
    return fmt::format("{}: {} of {} values of '{}' are missing (line{} {}{}); their times stay, without a value",
                       frame.source(), times.size(), values.size(), column, times.size() == 1 ? "" : "s", lines,
                       times.size() > most ? ", ..." : "");
}

struct StochasticVolatilityKeys {
    StochasticVolatilitySettings settings; ///< but its returns
    std::optional<Index> simulated_length; ///< of returns that are simulated; else there are files
    VolatilityParameters truth;            ///< of the simulation
    double true_rho = 0, true_nu = 10;     ///< the same, with leverage and Student-t errors
    DataSeed seed;
    std::optional<DataFile> rates; ///< of a foreign currency; else `data` has returns
    DataFile data{"pound_dollar/svpd_returns.csv"};
    SeriesKeys series;
    bool holds_prices = false;
    bool centred = true;
    bool is_exact = false;                         ///< the likelihood
    std::optional<double> mu, phi, sigma, rho, nu; ///< those of [growth]
    std::optional<Index> lag;

    void keys(Keys& k) {
        k("simulated_length", simulated_length, within(1, 1'000'000), "returns drawn from the model, in place of data");
        k.unless_given("simulated_length", [&] {
            k("rates", rates, "rates of a foreign currency, in place of returns");
            k.unless_given("rates", [&] { list_table(k); });
        });
        k("leverage", settings.leverage, "returns and volatility are correlated");
        k("student", settings.student, "errors have Student's t distribution");
        k.when_given("simulated_length", [&] { list_simulation(k); });
        list_exactness(k, is_exact);
        list_filter(k, settings.filter, {{"bootstrap", FilterKind::bootstrap}, {"adapted", FilterKind::adapted}});
        list_constant_variance(k, "most_particles", settings.constant_variance);
        k.in_table("prior", [&] { list_prior(k); });
        k.in_table("growth", [&] { list_growth(k); });
    }

    void list_table(Keys& k) {
        k("data", data, "a table of returns, or of prices, with a header line");
        series.keys(k);
        k("values", holds_prices, {{"returns", false}, {"prices", true, "whose returns are 100 log(p_t/p_{t-1})"}},
          "contents of the column");
        k("centred", centred, "subtract the mean of the returns");
    }

    void list_simulation(Keys& k) {
        k("true_mu", truth.mu, "mean log volatility of the simulated returns");
        k("true_phi", truth.phi, between(-1, 1), "persistence of their log volatility");
        k("true_sigma", truth.sigma, above(0), "volatility of their log volatility");
        k.when("leverage", settings.leverage, true,
               [&] { k("true_rho", true_rho, between(-1, 1), "correlation of simulated returns and volatility"); });
        k.when("student", settings.student, true,
               [&] { k("true_nu", true_nu, above(0), "degrees of freedom of the simulated errors"); });
        seed.keys(k, "the simulated returns");
    }

    /// With which returns are simulated.
    VolatilityParameters true_parameters() const {
        VolatilityParameters all = truth;
        all.rho = settings.leverage ? true_rho : 0;
        if (settings.student)
            all.nu = true_nu;
        return all;
    }

    void list_growth(Keys& k) {
        k("mu", mu,
          about("mean log volatility, where states grow by time")
              .default_is("such that the returns' variance is right"));
        k("phi", phi, between(-1, 1), about("persistence, where states grow").default_is("0.95"));
        k("sigma", sigma, above(0), about("volatility of log volatility, where states grow").default_is("0.2"));
        k.when("model.leverage is true", settings.leverage, [&] {
            k("rho", rho, between(-1, 1),
              about("correlation of returns and volatility, where states grow").default_is("0"));
        });
        k.when("model.student is true", settings.student,
               [&] { k("nu", nu, above(0), about("degrees of freedom, where states grow").default_is("10")); });
        list_lag(k, lag);
    }

    /// At which the states grow.
    VolatilityParameters parameters() const {
        VolatilityParameters all;
        all.phi = phi.value_or(all.phi);
        all.sigma = sigma.value_or(all.sigma);
        all.rho = rho.value_or(0);
        if (settings.student)
            all.nu = nu.value_or(10);
        double square = 0;
        const auto n_there = settings.returns.size() - missing_times(settings.returns).size();
        for (const double y : settings.returns)
            square += is_missing(y) ? 0 : y * y / static_cast<double>(n_there);
        // E[y^2] = exp(mu + sd^2/2), times the variance of a Student-t error where there is one.
        const double sd = all.stationary_sd(), errors = all.student() && all.nu > 2 ? all.nu / (all.nu - 2) : 1;
        all.mu = mu.value_or(square > 0 ? std::log(square / errors) - sd * sd / 2 : 0);
        return all;
    }

    void list_prior(Keys& k) {
        k("mu", settings.mu, "prior of the mean log volatility");
        k("phi", settings.phi, "prior of the persistence");
        k("sigma", settings.sigma, "prior of the volatility of log volatility");
        k.when("model.leverage is true", settings.leverage,
               [&] { k("rho", settings.rho, "prior of the correlation of returns and volatility"); });
        k.when("model.student is true", settings.student,
               [&] { k("nu", settings.nu, "prior of the degrees of freedom"); });
    }
};

struct LinearGaussianKeys {
    LinearGaussianSettings settings; ///< but its observations
    std::optional<DataFile> data;    ///< else observations are simulated
    SeriesKeys series;
    LinearGaussianParameters truth;
    Index simulated_length = 200;
    DataSeed seed;
    bool is_exact = false;                                       ///< the likelihood
    std::optional<double> mean, persistence, state_sd, noise_sd; ///< those of [growth]
    std::optional<Index> lag;

    void keys(Keys& k) {
        k("data", data, "a table with a header line; else observations are simulated");
        k.when_given("data", [&] { series.keys(k); });
        k.unless_given("data", [&] { list_simulation(k); });
        list_exactness(k, is_exact);
        settings.filter.particles = 200;
        list_filter(k, settings.filter,
                    {{"bootstrap", FilterKind::bootstrap},
                     {"auxiliary", FilterKind::auxiliary},
                     {"adapted", FilterKind::adapted}});
        list_constant_variance(k, "most_particles", settings.constant_variance);
        k.in_table("prior", [&] {
            k("mean", settings.mean, "prior of the mean");
            k("persistence", settings.persistence, "prior of the persistence");
            k("state_sd", settings.state_sd, "prior of the states' standard deviation");
            k("noise_sd", settings.noise_sd, "prior of the observations' standard deviation");
        });
        k.in_table("growth", [&] { list_growth(k); });
    }

    void list_growth(Keys& k) {
        const auto true_one = [](const char* text, const char* without) {
            return about(text).default_is(fmt::format("that of the simulation; {} with data", without));
        };
        k("mean", mean, true_one("mean of the states, where they grow by time", "0"));
        k("persistence", persistence, between(-1, 1), true_one("persistence of the states, where they grow", "0.9"));
        k("state_sd", state_sd, above(0), true_one("standard deviation of innovations, where states grow", "1"));
        k("noise_sd", noise_sd, above(0), true_one("standard deviation of the noise, where states grow", "1"));
        list_lag(k, lag);
    }

    /// At which the states grow.
    LinearGaussianParameters parameters() const {
        return {mean.value_or(truth.mean), persistence.value_or(truth.persistence), state_sd.value_or(truth.state_sd),
                noise_sd.value_or(truth.noise_sd)};
    }

    void list_simulation(Keys& k) {
        k("simulated_length", simulated_length, within(1, 1'000'000), "observations");
        k("true_mean", truth.mean, "mean of the simulated states");
        k("true_persistence", truth.persistence, between(-1, 1), "persistence of the simulated states");
        k("true_state_sd", truth.state_sd, above(0), "standard deviation of the simulated states' innovations");
        k("true_noise_sd", truth.noise_sd, above(0), "standard deviation of the simulated noise");
        seed.keys(k, "the simulated observations");
    }
};

/// A column of a table, of prices if these are above 0; NaN where a value is missing.
std::optional<Vector> read_series(io::Configuration& configuration, io::Section& section, const DataFile& file,
                                  const SeriesKeys& keys, bool holds_prices = false) {
    return read_data(section, "data", file, [&](const auto& path) {
        const auto frame = io::Frame::read(path);
        for (const auto& remark : frame.remarks())
            configuration.remark("model.data", remark);
        if (keys.dates)
            frame.check_dates(*keys.dates);
        Vector values = keys.numbers(frame);
        if (const auto remark = remark_on_missing(frame, keys.column, values); !remark.empty())
            configuration.remark("model.missing", remark);
        for (Index row = 0; holds_prices && row < values.size(); ++row)
            if (!is_missing(values(row)) && !(values(row) > 0))
                frame.refuse(row, frame.column(keys.column), "a price above 0");
        if (holds_prices && values.size() < 2)
            throw InputError(frame.source() + ": 1 price, expected at least two");
        return values;
    });
}

/// 100 log(p_t/p_{t-1}), missing where one of the two is.
Vector returns_of_prices(const Vector& prices) {
    const Vector logs = prices.array().log();
    return 100 * (logs.tail(logs.size() - 1) - logs.head(logs.size() - 1));
}

/// The mean of those that are there.
void subtract_mean(Vector& values) {
    const auto n_missing = values.array().isNaN().count();
    if (n_missing == 0) {
        values.array() -= values.mean();
        return;
    }
    const double sum = values.array().isNaN().select(0, values.array()).sum();
    values.array() -= sum / static_cast<double>(values.size() - n_missing);
}

std::vector<double> numbers(const Vector& values) {
    return {values.begin(), values.end()};
}

/// Returns as they are in a column, or from the rates of a foreign currency, or simulated.
std::vector<double> read_returns(io::Configuration& configuration, io::Section& section,
                                 const StochasticVolatilityKeys& keys) {
    if (keys.simulated_length) {
        const auto truth = keys.true_parameters();
        if (!truth.valid())
            section.error("true_sigma", "the stationary variance of log volatility is not a finite number above 0");
        if (configuration.has_errors())
            return {};
        auto stream = keys.seed.stream(configuration);
        return simulate_volatility(truth, *keys.simulated_length, stream).returns;
    }
    if (keys.rates) {
        const auto rates = read_data(section, "rates", *keys.rates, [](const auto& path) {
            return centred_returns(numbers(io::read_last_numbers(path)));
        });
        return rates.value_or(std::vector<double>{});
    }
    auto returns = read_series(configuration, section, keys.data, keys.series, keys.holds_prices);
    if (!returns)
        return {};
    if (keys.holds_prices)
        returns = returns_of_prices(*returns);
    if (keys.centred)
        subtract_mean(*returns);
    return numbers(*returns);
}

std::unique_ptr<BuiltModel> build_stochastic_volatility(io::Configuration& configuration, io::Section& section) {
    auto keys = read_model<StochasticVolatilityKeys>(configuration);
    keys.settings.returns = read_returns(configuration, section, keys);
    return built_either_way<StochasticVolatility>(configuration, keys.settings, keys.is_exact, [&] {
        return growth_at<GrowingVolatility>(configuration, "growth.sigma", keys.parameters(), keys.settings.returns,
                                            keys.settings.filter, keys.lag);
    });
}

std::unique_ptr<BuiltModel> build_linear_gaussian(io::Configuration& configuration, io::Section& section) {
    auto keys = read_model<LinearGaussianKeys>(configuration);
    if (keys.data) {
        if (const auto observations = read_series(configuration, section, *keys.data, keys.series))
            keys.settings.observations = numbers(*observations);
    } else if (!keys.truth.valid()) {
        section.error("true_state_sd",
                      "the stationary variance of the simulated states is not a finite number above 0");
    } else if (!configuration.has_errors()) {
        auto stream = keys.seed.stream(configuration);
        keys.settings.observations = simulate_linear_gaussian(keys.truth, keys.simulated_length, stream);
    }
    return built_either_way<LinearGaussian>(configuration, keys.settings, keys.is_exact, [&] {
        return growth_at<GrowingLinearGaussian>(configuration, "growth.state_sd", keys.parameters(),
                                                keys.settings.observations, keys.settings.filter, keys.lag);
    });
}

} // namespace

ModelEntry stochastic_volatility_entry() {
    ModelEntry entry{{"stochastic-volatility", 16, 4096, true, 1, true, {}, "particles"},
                     "volatility of returns; likelihood by a particle filter",
                     build_stochastic_volatility,
                     list_keys<StochasticVolatilityKeys>};
    entry.traits.grows = true;
    return entry;
}

ModelEntry linear_gaussian_entry() {
    ModelEntry entry{{"linear-gaussian", 16, 4096, true, 1, true, {}, "particles"},
                     "autoregression observed with noise; likelihood by a particle filter, or exact",
                     build_linear_gaussian,
                     list_keys<LinearGaussianKeys>};
    entry.traits.grows = true;
    return entry;
}

} // namespace pearlite::models
