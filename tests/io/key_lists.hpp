#pragma once
/// A settings struct with a key of every kind, for the tests of those that read and describe keys.

#include "pearlite/core/error.hpp"
#include "pearlite/core/keys.hpp"

namespace pearlite::io {

/// "a:b", a stand-in for types that are parsed from text.
struct Pair {
    std::string left, right;
    static Pair parse(const std::string& text) {
        const auto colon = text.find(':');
        if (colon == std::string::npos)
            throw InputError("expected a colon");
        return {text.substr(0, colon), text.substr(colon + 1)};
    }
    std::string text() const { return left + ":" + right; }
};

struct LatticeSettings {
    enum class Update { sweep, random_site };

    Index size = 32, flips = 0, repeats = 0;
    double coupling = 1, field = 0;
    Update update = Update::sweep;
    bool torus = true, from_mode = false;
    std::uint64_t seed = 1;
    std::optional<double> limit;
    double period = 60;
    std::vector<double> knots;
    std::vector<std::string> moves{"flip"};
    Pair pair{"a", "b"}, prior{"p", "q"};
    std::string title = "none", column = "y";
    DataFile data{"lattice.csv"};
    std::optional<DataFile> images;
    Index n_images = 100;

    void keys(Keys& k) {
        k("size", size, within(2, 4096), about("rows and columns").unit("sites"));
        k("coupling", coupling, "of neighbours");
        if (coupling == 0)
            k.error("coupling", "got 0, expected a coupling that is not 0");
        k("field", field, between(-1, 1), "outer field");
        k("update", update, {{"sweep", Update::sweep, "every site"}, {"random-site", Update::random_site}}, "of sites");
        k.when("update", update, Update::random_site, [&] {
            flips = size * size;
            k("flips", flips, at_least(1), about("flips a move").default_is("size x size"));
        });
        k("torus", torus, "periodic");
        k.when("torus", torus, false, [&] { k("start", from_mode, {{"mode", true}, {"prior", false}}, "the start"); });
        k("seed", seed, "of the lattice");
        k("limit", limit, above(0), "at most");
        k.seconds("period", period, "between checkpoints");
        k("knots", knots, "of the schedule");
        k("moves", moves, {"flip", "cluster"}, "the moves");
        k("pair", pair, "a pair");
        k("title", title, "a title");
        k("column", column, {"x", "y"}, "a column of the data");
        k("data", data, "the lattice");
        k("images", images, "the images");
        k.when_given("images", [&] { k("n_images", n_images, within(1, 1000), "images read"); });
        k.when("the lattice is large", size > 1000, [&] { k("repeats", repeats, at_least(0), "of a sweep"); });
        k.in_table("prior", [&] { k("scale", prior, "of the field"); });
    }
};

} // namespace pearlite::io
