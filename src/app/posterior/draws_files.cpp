#include "app/posterior/draws_files.hpp"

#include "io/arrays/draws.hpp"
#include "io/files/netcdf.hpp"
#include "io/files/temporary_file.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

/// One number of each draw.
struct Column {
    std::string name;
    const LabelledArray* array = nullptr; ///< none: the number is unknown
    std::size_t place = 0, stride = 1;    ///< among the numbers that the array has of a draw

    double operator()(std::size_t draw) const {
        return array ? array->values[draw * stride + place] : std::numeric_limits<double>::quiet_NaN();
    }
};

struct Element {
    std::string indices;   ///< from 1: ".2.1"
    std::size_t place = 0; ///< among the elements of the array, whose last index runs fastest
};

/// The i-th element of an array of these dimensions in the order of CmdStan, the first index fastest.
Element element_of(std::size_t i, std::span<const LabelledDimension> dimensions) {
    Element element;
    std::size_t stride = 1;
    for (const auto& dimension : dimensions)
        stride *= static_cast<std::size_t>(dimension.size);
    for (const auto& dimension : dimensions) {
        const auto size = static_cast<std::size_t>(dimension.size);
        stride /= size;
        element.indices += fmt::format(".{}", i % size + 1);
        element.place += i % size * stride;
        i /= size;
    }
    return element;
}

/// The numbers that posterior.nc holds for each draw.
class Draws {
  public:
    explicit Draws(const fs::path& file) {
        auto posterior = io::read_netcdf_group(file, "posterior");
        if (!posterior || posterior->arrays.empty() || posterior->arrays.front().dimensions.size() < 2)
            throw InputError(fmt::format("{}: no draws, expected those of a finished run", file.string()));
        posterior_ = *std::move(posterior);
        chains_ = posterior_.arrays.front().dimensions[0].size;
        draws_ = posterior_.arrays.front().dimensions[1].size;
        if (auto statistics = io::read_netcdf_group(file, "sample_stats"))
            statistics_ = *std::move(statistics);
        if (auto pointwise = io::read_netcdf_group(file, "log_likelihood"))
            pointwise_ = *std::move(pointwise);
        columns_.push_back({"lp__"});
        for (const auto& array : statistics_.arrays)
            if (array.name == "lp" && is_of_draws(array))
                columns_.front().array = &array;
        for (const auto& array : posterior_.arrays)
            add(array);
        for (const auto& array : pointwise_.arrays) // Stan programs call it so, and CmdStan has it among the others
            if (array.name == "log_lik")
                add(array);
        if (auto replicates = io::read_netcdf_group(file, "posterior_predictive"))
            for (const auto& [key, suffix] : replicates->attributes)
                if (key == "names_in_the_program_end_in") {
                    replicates_ = *std::move(replicates);
                    for (auto& array : replicates_.arrays) {
                        array.name += suffix;
                        add(array);
                    }
                    break;
                }
    }

    Index chains() const { return chains_; }

    std::string table(Index chain) const {
        fmt::memory_buffer text;
        const auto out = std::back_inserter(text);
        fmt::format_to(out, "# model = {}\n", attribute("model_name"));
        fmt::format_to(
            out,
            "# method = sample (Default)\n#   sample\n#     num_samples = {}\n#     num_warmup = 0\n"
            "#     save_warmup = 0\n#     thin = 1\n#     algorithm = {}\n# id = {}\n# random\n#   seed = {}\n",
            draws_, attribute("algorithm"), chain + 1, attribute("seed"));
        fmt::format_to(out, "{}", renamed_);
        for (std::size_t c = 0; c < columns_.size(); ++c)
            fmt::format_to(out, "{}{}", c == 0 ? "" : ",", columns_[c].name);
        text.push_back('\n');
        const auto first = static_cast<std::size_t>(chain * draws_);
        for (std::size_t draw = first; draw < first + static_cast<std::size_t>(draws_); ++draw) {
            for (std::size_t c = 0; c < columns_.size(); ++c)
                fmt::format_to(out, "{}{}", c == 0 ? "" : ",", columns_[c](draw));
            text.push_back('\n');
        }
        return fmt::to_string(text);
    }

  private:
    bool is_of_draws(const LabelledArray& array) const {
        return array.dimensions.size() >= 2 && array.dimensions[0].size == chains_ &&
               array.dimensions[1].size == draws_;
    }

    void add(const LabelledArray& array) {
        if (!is_of_draws(array))
            return;
        const auto inner = std::span(array.dimensions).subspan(2);
        std::size_t n = 1;
        for (const auto& dimension : inner)
            n *= static_cast<std::size_t>(dimension.size);
        auto name = io::with_points(array.name);
        for (const auto wanted = name; !taken_.insert(name).second;)
            name = fmt::format("{}_{}", wanted, ++twins_);
        if (name != array.name && n == 1)
            renamed_ += fmt::format("# column {} is {}\n", name, array.name);
        for (std::size_t i = 0; i < n; ++i) {
            const auto element = element_of(i, inner);
            columns_.push_back({name + element.indices, &array, element.place, n});
        }
    }

    std::string attribute(const std::string& name) const {
        for (const auto& [key, text] : posterior_.attributes)
            if (key == name)
                return text;
        return "unknown";
    }

    io::NetcdfGroup posterior_, statistics_, pointwise_, replicates_;
    Index chains_ = 0, draws_ = 0;
    std::set<std::string> taken_; ///< names of columns
    int twins_ = 1;               ///< number of those that got a number since their names were taken
    std::string renamed_;         ///< comments on columns that are not called like their parameters
    std::vector<Column> columns_;
};

constexpr const char* stem = "draws";

} // namespace

std::vector<fs::path> write_draws(const fs::path& directory, const std::optional<fs::path>& file) {
    const auto posterior = directory / "posterior.nc";
    std::error_code ignored;
    if (!fs::exists(posterior, ignored))
        throw InputError(fmt::format("{}: no posterior.nc, expected the directory of a finished run with draws of a "
                                     "posterior",
                                     directory.string()));
    const Draws draws(posterior);
    const auto target = file.value_or(directory / (std::string(stem) + ".csv"));
    std::vector<fs::path> files;
    for (Index chain = 0; chain < draws.chains(); ++chain) {
        auto name = target;
        if (draws.chains() > 1)
            name.replace_filename(
                fmt::format("{}_{}{}", target.stem().string(), chain + 1, target.extension().string()));
        io::write_durably(name, draws.table(chain));
        files.push_back(std::move(name));
    }
    return files;
}

bool is_draws_file(const fs::path& file) {
    const auto name = file.filename().string();
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::string begin = stem, end = ".csv";
    if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size())
        return false;
    const auto number = name.substr(begin.size(), name.size() - begin.size() - end.size());
    return number.empty() ||
           (number.size() > 1 && number[0] == '_' && std::all_of(number.begin() + 1, number.end(), is_digit));
}

} // namespace pearlite::app
