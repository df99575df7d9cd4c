#include "pearlite/model/prior.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

namespace pearlite::model {

enum class Prior::Family : int {
    normal,
    half_normal,
    student_t,
    half_student_t,
    cauchy,
    half_cauchy,
    log_normal,
    exponential,
    gamma,
    inverse_gamma,
    root_inverse_gamma,
    beta,
    uniform
};

namespace {

/// The requirement on an argument.
enum class Kind { real, positive };

struct Signature {
    std::string_view name;
    std::string_view arguments; ///< for messages
    std::vector<Kind> kinds;
};

/// The signatures of all families, in the order of Family.
const std::vector<Signature>& signatures() {
    using enum Kind;
    static const std::vector<Signature> all{
        {"normal", "(mean, sd)", {real, positive}},
        {"half-normal", "(scale)", {positive}},
        {"student-t", "(df, location, scale)", {positive, real, positive}},
        {"half-student-t", "(df, scale)", {positive, positive}},
        {"cauchy", "(location, scale)", {real, positive}},
        {"half-cauchy", "(scale)", {positive}},
        {"log-normal", "(mean of the log, sd of the log)", {real, positive}},
        {"exponential", "(rate)", {positive}},
        {"gamma", "(shape, rate)", {positive, positive}},
        {"inverse-gamma", "(shape, scale)", {positive, positive}},
        {"root-inverse-gamma", "(shape, scale)", {positive, positive}},
        {"beta", "(a, b) or (a, b, low, high)", {positive, positive, real, real}},
        {"uniform", "(low, high)", {real, real}},
    };
    return all;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = failure == std::errc() && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

[[noreturn]] void refuse(std::string_view text, const std::string& expected) {
    throw InputError("\"" + std::string(text) + "\" is not a prior: expected " + expected);
}

std::string all_names() {
    std::string text;
    for (const auto& signature : signatures())
        text += (text.empty() ? "" : ", ") + std::string(signature.name);
    return text;
}

/// The numbers between the parentheses.
std::vector<double> arguments_of(std::string_view text, std::string_view inside, const std::string& expected) {
    std::vector<double> arguments;
    while (true) {
        const auto comma = inside.find(',');
        const auto value = number(trimmed(inside.substr(0, comma)));
        if (!value)
            refuse(text, expected);
        arguments.push_back(*value);
        if (comma == std::string_view::npos)
            return arguments;
        inside.remove_prefix(comma + 1);
    }
}

/// log of the density of student-t(df, 0, 1) at 0.
double student_log_normaliser(double df) {
    return std::lgamma((df + 1) / 2) - std::lgamma(df / 2) - 0.5 * std::log(df * std::numbers::pi);
}

double log_root_two_pi() {
    return 0.5 * std::log(2 * std::numbers::pi);
}

/// z = 0 gives 0 also with power 0 (0 x -inf would be NaN).
double power_log(double power, double x) {
    return power == 0 ? 0 : power * std::log(x);
}
double power_log_slope(double power, double x) {
    return power == 0 ? 0 : power / x;
}

} // namespace

Prior Prior::parse(std::string_view text) {
    const auto clean = trimmed(text);
    const auto open = clean.find('(');
    if (open == std::string_view::npos || clean.back() != ')')
        refuse(text, "a name with its arguments, such as normal(0, 10); names: " + all_names());
    const auto name = trimmed(clean.substr(0, open));
    const auto& all = signatures();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == name; });
    if (found == all.end())
        refuse(text, "one of " + all_names());
    const std::string expected = std::string(found->name) + std::string(found->arguments);
    const auto arguments = arguments_of(text, clean.substr(open + 1, clean.size() - open - 2), expected);
    const bool is_beta = found->name == "beta";
    if (arguments.size() != found->kinds.size() && !(is_beta && arguments.size() == 2))
        refuse(text, expected);
    for (std::size_t k = 0; k < arguments.size(); ++k)
        if (found->kinds[k] == Kind::positive && !(arguments[k] > 0))
            refuse(text, expected + " with scales, shapes and rates above 0");
    const bool has_ends = found->name == "uniform" || (is_beta && arguments.size() == 4);
    if (has_ends && !(arguments[arguments.size() - 2] < arguments.back()))
        refuse(text, expected + " with low < high");
    return Prior(static_cast<Family>(found - all.begin()), arguments);
}

std::vector<std::string> Prior::names() {
    std::vector<std::string> names;
    for (const auto& signature : signatures())
        names.emplace_back(signature.name);
    return names;
}

Prior::Prior(Family family, const std::vector<double>& arguments)
    : family_(family), n_arguments_(arguments.size()), lower_(0), upper_(infinity) {
    std::copy(arguments.begin(), arguments.end(), arguments_.begin());
    const auto [a, b, c, d] = arguments_;
    switch (family_) {
    case Family::normal:
        lower_ = -infinity;
        log_normaliser_ = -std::log(b) - log_root_two_pi();
        break;
    case Family::half_normal:
        log_normaliser_ = std::log(2) - std::log(a) - log_root_two_pi();
        break;
    case Family::student_t:
        lower_ = -infinity;
        log_normaliser_ = student_log_normaliser(a) - std::log(c);
        break;
    case Family::half_student_t:
        log_normaliser_ = std::log(2) + student_log_normaliser(a) - std::log(b);
        break;
    case Family::cauchy:
        lower_ = -infinity;
        log_normaliser_ = -std::log(std::numbers::pi * b);
        break;
    case Family::half_cauchy:
        log_normaliser_ = std::log(2) - std::log(std::numbers::pi * a);
        break;
    case Family::log_normal:
        log_normaliser_ = -std::log(b) - log_root_two_pi();
        break;
    case Family::exponential:
        log_normaliser_ = std::log(a);
        break;
    case Family::gamma:
    case Family::inverse_gamma:
        log_normaliser_ = a * std::log(b) - std::lgamma(a);
        break;
    case Family::root_inverse_gamma:
        log_normaliser_ = a * std::log(b) - std::lgamma(a) + std::log(2);
        break;
    case Family::beta:
        lower_ = n_arguments_ == 4 ? c : 0;
        upper_ = n_arguments_ == 4 ? d : 1;
        log_normaliser_ =
            std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) - (a + b - 1) * std::log(upper_ - lower_);
        break;
    case Family::uniform:
        lower_ = a;
        upper_ = b;
        log_normaliser_ = -std::log(b - a);
        break;
    }
}

double Prior::log_density(double x) const {
    if (!(x >= lower_ && x <= upper_))
        return std::isnan(x) ? x : log_zero;
    const auto [a, b, c, d] = arguments_;
    const auto square = [](double z) { return z * z; };
    const auto student = [&](double df, double z) { return -0.5 * (df + 1) * std::log1p(z * z / df); };
    double value = 0;
    switch (family_) {
    case Family::normal:
        value = -0.5 * square((x - a) / b);
        break;
    case Family::half_normal:
        value = -0.5 * square(x / a);
        break;
    case Family::student_t:
        value = student(a, (x - b) / c);
        break;
    case Family::half_student_t:
        value = student(a, x / b);
        break;
    case Family::cauchy:
        value = student(1, (x - a) / b);
        break;
    case Family::half_cauchy:
        value = student(1, x / a);
        break;
    case Family::log_normal:
        value = x > 0 ? -std::log(x) - 0.5 * square((std::log(x) - a) / b) : log_zero;
        break;
    case Family::exponential:
        value = -a * x;
        break;
    case Family::gamma:
        value = power_log(a - 1, x) - b * x;
        break;
    case Family::inverse_gamma:
        value = x > 0 ? -(a + 1) * std::log(x) - b / x : log_zero;
        break;
    case Family::root_inverse_gamma:
        value = x > 0 ? -(2 * a + 1) * std::log(x) - b / (x * x) : log_zero;
        break;
    case Family::beta:
        value = power_log(a - 1, x - lower_) + power_log(b - 1, upper_ - x);
        break;
    case Family::uniform:
        break;
    }
    return value + log_normaliser_;
}

double Prior::log_density_slope(double x) const {
    const auto [a, b, c, d] = arguments_;
    const auto student = [](double df, double z) { return -(df + 1) * z / (df + z * z); };
    switch (family_) {
    case Family::normal:
        return -(x - a) / (b * b);
    case Family::half_normal:
        return -x / (a * a);
    case Family::student_t:
        return student(a, (x - b) / c) / c;
    case Family::half_student_t:
        return student(a, x / b) / b;
    case Family::cauchy:
        return student(1, (x - a) / b) / b;
    case Family::half_cauchy:
        return student(1, x / a) / a;
    case Family::log_normal:
        return -(1 + (std::log(x) - a) / (b * b)) / x;
    case Family::exponential:
        return -a;
    case Family::gamma:
        return power_log_slope(a - 1, x) - b;
    case Family::inverse_gamma:
        return (b / x - (a + 1)) / x;
    case Family::root_inverse_gamma:
        return (2 * b / (x * x) - (2 * a + 1)) / x;
    case Family::beta:
        return power_log_slope(a - 1, x - lower_) - power_log_slope(b - 1, upper_ - x);
    case Family::uniform:
        return 0;
    }
    throw ContractViolation("a prior of no family");
}

double Prior::draw(random::Stream& stream) const {
    const auto [a, b, c, d] = arguments_;
    const auto student = [&](double df) {
        const double z = stream.normal();
        return z / std::sqrt(2 * stream.gamma(df / 2) / df);
    };
    switch (family_) {
    case Family::normal:
        return a + b * stream.normal();
    case Family::half_normal:
        return a * std::abs(stream.normal());
    case Family::student_t:
        return b + c * student(a);
    case Family::half_student_t:
        return b * std::abs(student(a));
    case Family::cauchy:
        return a + b * std::tan(std::numbers::pi * (stream.uniform() - 0.5));
    case Family::half_cauchy:
        return a * std::tan(std::numbers::pi * 0.5 * stream.uniform());
    case Family::log_normal:
        return std::exp(a + b * stream.normal());
    case Family::exponential:
        return stream.exponential() / a;
    case Family::gamma:
        return stream.gamma(a) / b;
    case Family::inverse_gamma:
        return b / stream.gamma(a);
    case Family::root_inverse_gamma:
        return std::sqrt(b / stream.gamma(a));
    case Family::beta:
        return lower_ + (upper_ - lower_) * stream.beta(a, b);
    case Family::uniform:
        return stream.uniform(a, b);
    }
    throw ContractViolation("a prior of no family");
}

std::string Prior::text() const {
    std::string text(signatures()[static_cast<std::size_t>(family_)].name);
    for (std::size_t k = 0; k < n_arguments_; ++k) {
        std::array<char, 32> buffer{};
        const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), arguments_[k]).ptr;
        text += (k == 0 ? "(" : ", ") + std::string(buffer.data(), end);
    }
    return text + ")";
}

} // namespace pearlite::model
