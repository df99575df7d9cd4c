#pragma once
/// A user's table: its keys, and its columns as covariates.

#include "io/arrays/frame.hpp"
#include "models/common/design.hpp"
#include "pearlite/core/keys.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// Treatment of missing values.
struct MissingKeys {
    enum class Rule { refuse, drop };
    Rule rule = Rule::refuse;
    std::vector<std::string> texts{"", "NA"};
    std::vector<std::string> further; ///< columns that a model does not use

    /// `dropping`: a sentence on what "drop" does, which is not always to leave rows out.
    void keys(Keys& k, const char* dropping = "which leaves their rows out", bool leaves_rows_out = true);
    /// Leaves out the rows that lack one of these columns or a further one, if they are to be left out. Returns the
    /// rows that there are then.
    TableRows apply(io::Frame& frame, std::vector<std::string> columns) const;
};

/// The columns of a table that keys may name, and those that a default may take.
struct TableColumns {
    std::string source;
    std::vector<std::string> names;    ///< those that are not empty
    std::vector<std::string> defaults; ///< of these, the ones that do not number or name the rows
    std::vector<std::string> remarks;  ///< on the file, and on columns that no default takes
    bool has_names = true;             ///< in the file; else they are column1, column2, ...
};
/// A column without a name, or one whose name and values are those that programs give to the names of rows, is no
/// default.
TableColumns columns_of(const io::Frame& frame);

/// The use of a column, which a key names.
struct Role {
    const char* key;
    std::vector<std::string> usual_names; ///< in lower case

    /// The column where no key names one: the only candidate, or the only one with a usual name; nothing if there is
    /// none, or if the file has no names.
    std::optional<std::string> default_of(const TableColumns& columns, std::span<const std::string> candidates) const;
    /// The mistake if there is none.
    std::string objection(const TableColumns& columns, std::span<const std::string> candidates) const;
    /// A description of the default.
    std::string description() const;
};
const Role& response_role();
/// A remark on a column that a default took.
std::string words_on_default(const std::string& column, const std::string& source);

/// The terms of a regression on the columns of a table, none of them in a description.
struct TermKeys {
    std::vector<std::string> factors, terms;

    /// `names`: columns that may be covariates; `defaults`: those that are, if no key says so.
    void keys(Keys& k, const std::vector<std::string>& names, const std::vector<std::string>& defaults) {
        list_factors(k, names);
        list_terms(k, names, defaults);
    }
    void list_factors(Keys& k, const std::vector<std::string>& names);
    void list_terms(Keys& k, const std::vector<std::string>& names, const std::vector<std::string>& defaults);
    /// The column of a role that no key names: one that is not taken, and that neither terms nor factors use. Records
    /// the mistake and returns nothing if there is none.
    std::optional<std::string> choose(Keys& k, const Role& role, const TableColumns& columns,
                                      std::span<const std::string> taken) const;
    /// The columns that the terms use.
    std::vector<std::string> columns() const;
    /// Names, the products a:b of two of them, and the squares a:a of those that are no factors.
    static std::vector<std::string> possible(const std::vector<std::string>& names,
                                             std::span<const std::string> factors);
};

/// Observations in the words of the table that they are from.
struct Observed {
    std::string name = "y"; ///< of the column of responses
    std::optional<TableRows> rows = {};

    /// The dimension "row" of n observations.
    LabelledDimension dimension(Index n) const;
};

/// The names but those.
std::vector<std::string> without(const std::vector<std::string>& names, std::span<const std::string> those);

/// Columns of numbers, or with the levels that occur if they are among the factors. InputError for a factor of one
/// level, or of more than 1000.
std::vector<Covariate> covariates_of(const io::Frame& frame, std::span<const std::string> names,
                                     const std::vector<std::string>& factors);

/// The mean and the standard deviation of a covariate before standardise() scaled it. That function gives each
/// covariate that is no factor mean 0 and standard deviation 1 over the rows.
struct Scaling {
    std::string name;
    double mean = 0, sd = 1;
};
std::vector<Scaling> standardise(std::vector<Covariate>& covariates, const std::string& source);

} // namespace pearlite::models
