#include "core/fields.hpp"

#include <gtest/gtest.h>

namespace pearlite {
namespace {

/// Records the names and types of its fields.
class Notes final : public Fields {
  public:
    bool is_reading() const override { return false; }
    void operator()(std::string_view name, bool&) override { note(name, "bool"); }
    void operator()(std::string_view name, double&) override { note(name, "double"); }
    void operator()(std::string_view name, std::int64_t&) override { note(name, "int64"); }
    void operator()(std::string_view name, std::uint64_t&) override { note(name, "uint64"); }
    void operator()(std::string_view name, std::string&) override { note(name, "string"); }
    void operator()(std::string_view name, std::vector<double>&) override { note(name, "doubles"); }
    void operator()(std::string_view name, std::vector<std::int64_t>&) override { note(name, "int64s"); }
    void operator()(std::string_view name, std::vector<std::string>&) override { note(name, "strings"); }
    void operator()(std::string_view name, Matrix&) override { note(name, "matrix"); }
    void sharded(std::string_view name, const ShardedField&) override { note(name, "sharded"); }
    void enter(std::string_view group) override { prefix += std::string(group) + "/"; }
    void leave() override { prefix.erase(prefix.rfind('/', prefix.size() - 2) + 1); }

    std::string prefix;
    std::vector<std::string> seen;

  private:
    void note(std::string_view name, const char* type) { seen.push_back(prefix + std::string(name) + ": " + type); }
};

struct Inner {
    Index count = 1;
    void fields(Fields& f) { f("count", count); }
};
struct Outer {
    bool began = true;
    std::string name = "a string, not a bool";
    std::vector<double> values;
    Matrix matrix;
    Inner first, second;
    void fields(Fields& f) {
        f("began", began);
        f("name", name);
        group(f, "first", first);
        f("values", values);
        f.enter("deep");
        group(f, "second", second);
        f.leave();
        f("matrix", matrix);
    }
};

TEST(Fields, EachTypeIsItselfAndGroupsEnd) {
    Notes notes;
    Outer outer;
    outer.fields(notes);
    EXPECT_EQ(notes.seen, (std::vector<std::string>{"began: bool", "name: string", "first/count: int64",
                                                    "values: doubles", "deep/second/count: int64", "matrix: matrix"}));
    EXPECT_EQ(notes.prefix, "");
}

} // namespace
} // namespace pearlite
