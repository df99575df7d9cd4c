#pragma once
/// The keys of [model] and [prior] of the models whose likelihood is estimated from data.

#include "models/mixed_logistic/mixed_logistic.hpp"
#include "models/state_space/linear_gaussian.hpp"
#include "models/state_space/stochastic_volatility.hpp"
#include "pearlite/core/keys.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::models {

struct StochasticVolatilityKeys {
    StochasticVolatilitySettings settings; ///< but its returns
    std::optional<DataFile> rates;         ///< of a foreign currency; else `data` has returns
    DataFile data{"pound_dollar/svpd_returns.csv"};
    std::string column = "y";
    bool centred = true;
    bool is_exact = false; ///< the likelihood

    void keys(Keys& k);
};

struct LinearGaussianKeys {
    LinearGaussianSettings settings; ///< but its observations
    std::optional<DataFile> data;    ///< else observations are simulated
    std::string column = "y";
    LinearGaussianParameters truth;
    Index simulated_length = 200;
    std::uint64_t data_seed = 1;
    bool is_exact = false; ///< the likelihood

    void keys(Keys& k);
};

/// Which data a mixed logistic regression has; the columns of a user's table and the rest of the keys follow.
struct MixedLogisticDataKeys {
    enum class Study { table, toenail, ohio_wheeze, polypharmacy };

    Study study = Study::toenail;
    DataFile data;

    void keys(Keys& k);
};

/// How a user's table becomes a design. `columns` are those of the table, none in a description.
struct MixedLogisticTableKeys {
    std::string subject, response;
    std::vector<std::string> factors, terms, effects;

    void keys(Keys& k, const std::vector<std::string>& columns);
    /// The columns that are neither subject nor response.
    std::vector<std::string> covariates(const std::vector<std::string>& columns) const;
};

/// The keys that follow those of the data.
struct MixedLogisticKeys {
    MixedLogisticSettings settings;
    bool is_exact = false; ///< the likelihood

    void keys(Keys& k);
};

} // namespace pearlite::models
