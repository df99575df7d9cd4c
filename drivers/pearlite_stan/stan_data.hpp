#pragma once
/// Data in CmdStan's JSON as Stan's var_context: arrays of arrays become values in last-index-major (column-major)
/// order.

#include <stan/io/var_context.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct StanVariable {
    std::vector<std::size_t> dims; ///< empty for a scalar
    std::vector<double> values;    ///< column-major
    bool integral = true;
};

class JsonData : public stan::io::var_context {
  public:
    explicit JsonData(const std::string& text) : text_(text) {
        if (blank())
            return;
        take('{');
        if (!skip('}')) {
            do {
                const std::string name = string();
                take(':');
                StanVariable v;
                parse(v, 0);
                variables_[name] = column_major(v);
            } while (skip(','));
            take('}');
        }
        if (!blank())
            fail("text after the closing brace");
    }
    explicit JsonData(std::map<std::string, StanVariable> variables) : variables_(std::move(variables)) {}

    bool contains_r(const std::string& name) const override { return find(name) != nullptr; }
    bool contains_i(const std::string& name) const override {
        const StanVariable* v = find(name);
        return v != nullptr && v->integral;
    }
    std::vector<double> vals_r(const std::string& name) const override {
        const StanVariable* v = find(name);
        return v == nullptr ? std::vector<double>() : v->values;
    }
    std::vector<int> vals_i(const std::string& name) const override {
        const StanVariable* v = find(name);
        return v == nullptr || !v->integral ? std::vector<int>() : std::vector<int>(v->values.begin(), v->values.end());
    }
    std::vector<std::size_t> dims_r(const std::string& name) const override {
        const StanVariable* v = find(name);
        return v == nullptr ? std::vector<std::size_t>() : v->dims;
    }
    std::vector<std::size_t> dims_i(const std::string& name) const override {
        return contains_i(name) ? dims_r(name) : std::vector<std::size_t>();
    }
    void names_r(std::vector<std::string>& names) const override { list(names, false); }
    void names_i(std::vector<std::string>& names) const override { list(names, true); }

    /// "[]" says nothing of the sizes behind the first that is 0. Stan refuses it for a matrix of no rows and names the
    /// sizes that the program declares: the variable takes them, and the answer is true, if their product is 0, too.
    bool take_declared_dims(const std::string& refusal) {
        const auto behind = [&](const std::string& words) {
            const auto at = refusal.find(words);
            return at == std::string::npos ? std::string() : refusal.substr(at + words.size());
        };
        const std::string name = behind("variable name="), declared = behind("dims declared=(");
        const auto at = variables_.find(name.substr(0, name.find(';')));
        if (at == variables_.end() || declared.empty() || !at->second.values.empty())
            return false;
        std::istringstream in(declared);
        std::vector<std::size_t> dims;
        for (std::size_t size = 0; in >> size; in.ignore()) // steps over the comma, or the bracket at the end
            dims.push_back(size);
        if (std::find(dims.begin(), dims.end(), std::size_t{0}) == dims.end() || dims == at->second.dims)
            return false;
        at->second.dims = dims;
        return true;
    }

  private:
    const StanVariable* find(const std::string& name) const {
        const auto at = variables_.find(name);
        return at == variables_.end() ? nullptr : &at->second;
    }
    void list(std::vector<std::string>& names, bool integral) const {
        names.clear();
        for (const auto& [name, v] : variables_)
            if (v.integral == integral)
                names.push_back(name);
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument("data: " + what + " at character " + std::to_string(at_));
    }
    bool blank() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            ++at_;
        return at_ == text_.size();
    }
    bool skip(char c) {
        if (blank() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }
    void take(char c) {
        if (!skip(c))
            fail(std::string("expected ") + c);
    }
    std::string string() {
        take('"');
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] != '"')
            ++at_;
        if (at_ == text_.size())
            fail("a string that does not end");
        return text_.substr(start, at_++ - start);
    }
    void parse(StanVariable& v, std::size_t depth) {
        if (skip('[')) {
            const bool first = depth == v.dims.size();
            if (first) {
                if (!v.values.empty())
                    fail("numbers and arrays mixed");
                v.dims.push_back(0);
            }
            std::size_t n = 0;
            if (!skip(']')) {
                do {
                    parse(v, depth + 1);
                    ++n;
                } while (skip(','));
                take(']');
            }
            if (first)
                v.dims[depth] = n;
            else if (v.dims[depth] != n)
                fail("arrays of different lengths");
            return;
        }
        if (depth != v.dims.size())
            fail("arrays of different depths");
        v.values.push_back(number(v.integral));
    }
    double number(bool& integral) {
        if (blank())
            fail("expected a number");
        std::string token;
        if (text_[at_] == '"') {
            token = string();
        } else {
            while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '+' ||
                                          text_[at_] == '-' || text_[at_] == '.'))
                token += text_[at_++];
        }
        if (token == "true" || token == "false")
            return token == "true";
        char* end = nullptr;
        const double x = std::strtod(token.c_str(), &end); // knows nan, inf and infinity in any case
        if (token.empty() || *end != '\0')
            fail("expected a number, found '" + token + "'");
        if (token.find_first_not_of("+-0123456789") != std::string::npos ||
            std::fabs(x) > std::numeric_limits<int>::max())
            integral = false;
        return x;
    }
    static StanVariable column_major(const StanVariable& v) {
        if (v.dims.size() < 2 || v.values.empty())
            return v;
        StanVariable out = v;
        std::vector<std::size_t> index(v.dims.size(), 0);
        for (const double x : v.values) { // read with the last index fastest
            std::size_t place = 0;
            for (std::size_t k = v.dims.size(); k-- > 0;)
                place = place * v.dims[k] + index[k];
            out.values[place] = x;
            for (std::size_t k = v.dims.size(); k-- > 0 && ++index[k] == v.dims[k];)
                index[k] = 0;
        }
        return out;
    }

    std::string text_;
    std::size_t at_ = 0;
    std::map<std::string, StanVariable> variables_;
};

/// Calls use(data), again with other sizes of empty variables where Stan refuses those that are found.
template <class Use>
auto with_declared_dims(JsonData data, Use use) {
    for (;;)
        try {
            return use(data);
        } catch (const std::exception& refusal) {
            if (!data.take_declared_dims(refusal.what()))
                throw;
        }
}

/// Reads the forms of data that BridgeStan accepts: null, an empty string, a path that ends in .json, or JSON.
inline std::string read_data(const char* data) {
    const std::string text = data == nullptr ? "" : data;
    if (text.size() < 5 || text.compare(text.size() - 5, 5, ".json") != 0)
        return text;
    std::ifstream in(text);
    if (!in)
        throw std::invalid_argument("cannot read " + text);
    return std::string(std::istreambuf_iterator<char>(in), {});
}
