#pragma once
/// Design matrices of mixed logistic regressions from plain columns of data, and those of three classic data sets.

#include "models/mixed_logistic/mixed_logistic.hpp"

#include <string>
#include <vector>

namespace pearlite::models {

/// Subjects, responses (0 or 1) and covariates, n rows; subjects are whole numbers.
struct RepeatedResponses {
    Vector subject;
    Vector response;
    std::vector<Covariate> covariates;
};

struct MixedLogisticDesign {
    MixedLogisticSettings settings; ///< with the default priors
    Index n_left_out = 0;           ///< rows that lack a value
};

/// The design of a sum of terms, as R makes it: an intercept; a number as it is; a factor as a column per level but the
/// first, called name[level]; "a:b" as the products of the columns of a and b. Random effects: "intercept", and terms
/// that are one column. Rows in which the response or a covariate in use is missing are left out (R's na.omit). Throws
/// InputError for names that are not there, codes without a level, columns of different lengths.
MixedLogisticDesign mixed_logistic_design(const RepeatedResponses& data, const std::vector<std::string>& terms,
                                          const std::vector<std::string>& effects = {"intercept"});

/// Subjects whose responses are drawn from the model with a random intercept.
struct SimulatedSubjects {
    Index subjects = 50;
    Index responses_each = 5;
    std::vector<double> coefficients{-1.5, 2.5}; ///< of the intercept and of x, or x1, x2, ..; at least one
    double deviation = 1.2;                      ///< of the random intercept
};
/// Covariates are uniform on (0, 1), independent between rows.
RepeatedResponses simulate_responses(const SimulatedSubjects& settings, random::Stream& stream);

/// Moderate or severe onycholysis (De Backer et al. 1998; 294 patients, 1908 visits): intercept, terbinafine (1; 0 for
/// itraconazole), month, terbinafine:month.
MixedLogisticDesign toenail(const Vector& patient, const Vector& outcome, const Vector& terbinafine,
                            const Vector& month, const std::vector<std::string>& effects = {"intercept"});

/// Wheezing children of Ohio (Ware et al. 1984; 537 children, 4 years each): intercept, age (years - 9), mother's
/// smoking, and age:smoke if asked for.
MixedLogisticDesign ohio_wheeze(const Vector& child, const Vector& wheeze, const Vector& age, const Vector& smoke,
                                bool interaction = true, const std::vector<std::string>& effects = {"intercept"});

/// Columns of the polypharmacy study (Hosmer, Lemeshow & Sturdivant 2013; 500 subjects, 7 years each), factors coded
/// from 0 in the order of `polypharmacy_levels`.
struct PolypharmacyColumns {
    Vector id, polypharmacy;
    Vector mhv4, inptmhv3, group, urban, comorbid, anyprim, numprim, gender, race, ethnic; ///< factors
    Vector year, age;                                                                      ///< numbers
};
/// The levels of a factor, the reference first; InputError for other names.
std::vector<std::string> polypharmacy_levels(const std::string& factor);

/// Terms by default: gender, race, age, mhv4 and inptmhv3 (10 columns with the intercept).
MixedLogisticDesign polypharmacy(const PolypharmacyColumns& columns,
                                 const std::vector<std::string>& terms = {"gender", "race", "age", "mhv4", "inptmhv3"},
                                 const std::vector<std::string>& effects = {"intercept"});

} // namespace pearlite::models
