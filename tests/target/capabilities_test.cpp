// A target offers a capability if and only if the model has the optional member, and calls reach the model.
#include "pearlite/model/detail/capabilities.hpp"

#include "pearlite/core/column_block.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace pearlite::model {
namespace {

/// All that every model has: a particle is a number, f_b = exp(b x).
struct Bare {
    using Block = ColumnBlock<double>;
    Block make_block(Index size) const { return {1, size}; }
    void draw_start(Block& block, const BlockStreams& streams) const {
        block.columns().setConstant(static_cast<double>(streams.first_slot));
    }
    void prepare(Block& block) const { block.columns().array() += 100; }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += (to - from) * block.columns()(0, static_cast<Index>(i));
    }
    void path_derivative(const Block& block, double, std::span<double> out) const {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = block.columns()(0, static_cast<Index>(i));
    }
    std::optional<double> log_normaliser_start() const { return 0.25; }
    std::optional<double> exact_log_ratio(double b) const { return 2 * b; }
    void fingerprint(Fingerprint& fingerprint) const { fingerprint.add("bare"); }
};

struct Moving : Bare {
    void move(Block& block, double b, const BlockStreams&) const { block.columns().array() += b; }
};
struct Reversible : Moving {
    static constexpr bool move_is_reversible = true;
};
struct Irreversible : Moving {
    static constexpr bool move_is_reversible = false;
};
struct Reversed : Moving {
    void move_reversed(Block& block, double b, const BlockStreams&) const { block.columns().array() -= b; }
};
/// Its fused steps leave marks, so that their use shows.
struct Fused : Reversed {
    void anneal(Block& block, double, double, const BlockStreams&, std::span<double>, std::span<double>) const {
        block.columns().setConstant(1);
    }
    void anneal_reversed(Block& block, double, double, const BlockStreams&, std::span<double>,
                         std::span<double>) const {
        block.columns().setConstant(2);
    }
};
struct WithEnd : Bare {
    void draw_end(Block& block, double b, const BlockStreams&) const { block.columns().setConstant(b); }
};
struct WithMode : Bare {
    void set_mode(Block& block, double b, const BlockStreams&) const { block.columns().setConstant(-b); }
};
struct WithModeAtTimes : WithMode {
    bool knows_one = true;
    bool has_mode() const { return knows_one; }
};
struct WithData : Bare {
    bool is_there = true;
    bool has_data() const { return is_there; }
    void draw_data(Block& block, double b, const BlockStreams&) const { block.columns().setConstant(3 * b); }
};
struct WithSwap : Bare {
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
        for (Index i = 0; i < a.size(); ++i)
            if (which[static_cast<std::size_t>(i)])
                std::swap(a.columns()(0, i), b.columns()(0, i));
    }
};
struct WithCost : Bare {
    double cost(const Block& block) const { return 5 * static_cast<double>(block.size()); }
};
struct WithParameters : Bare {
    std::vector<std::string> parameter_names() const { return {"twice", "minus"}; }
    Matrix parameters(const Block& block) const {
        Matrix values(2, block.size());
        values.row(0) = 2 * block.columns().leftCols(block.size());
        values.row(1) = -block.columns().leftCols(block.size());
        return values;
    }
};
struct WithDescription : Bare {
    DataDescription describe_data() const {
        DataDescription data;
        data.observed.emplace_back();
        return data;
    }
};
struct WithImages : Bare {
    Matrix images(const Block& block, double b) const { return Matrix::Constant(6, block.size(), b); }
    Index image_rows() const { return 2; }
    Index image_columns() const { return 3; }
};
struct Linear : Bare {
    static constexpr bool path_is_linear = true;
};

/// The names of what a model's target offers.
template <class M>
std::vector<std::string> offers_of(const M& model) {
    const auto target = target_of(model);
    std::vector<std::string> names;
    const auto note = [&](const void* offered, const char* name) {
        if (offered)
            names.emplace_back(name);
    };
    note(target->template offers<Transition>(), "transition");
    note(target->template offers<ReversedTransition>(), "reversed");
    note(target->template offers<EndSampler>(), "end");
    note(target->template offers<ModeStart>(), "mode");
    note(target->template offers<DataStart>(), "data-start");
    note(target->template offers<StateSwap>(), "swap");
    note(target->template offers<BlockCost>(), "cost");
    note(target->template offers<ReportedParameters>(), "parameters");
    note(target->template offers<DescribedData>(), "description");
    note(target->template offers<Predictive>(), "predictive");
    note(target->template offers<ParticleImages>(), "images");
    return names;
}

TEST(Capabilities, AreThoseOfTheModelsMembersAndNoOthers) {
    WithData without_data;
    without_data.is_there = false;
    using Names = std::vector<std::string>;
    EXPECT_EQ(offers_of(Bare{}), Names{});
    EXPECT_EQ(offers_of(Moving{}), Names{"transition"});
    EXPECT_EQ(offers_of(Irreversible{}), Names{"transition"});
    EXPECT_EQ(offers_of(Reversible{}), (Names{"transition", "reversed"}));
    EXPECT_EQ(offers_of(Reversed{}), (Names{"transition", "reversed"}));
    EXPECT_EQ(offers_of(Fused{}), (Names{"transition", "reversed"}));
    EXPECT_EQ(offers_of(WithEnd{}), Names{"end"});
    EXPECT_EQ(offers_of(WithMode{}), Names{"mode"});
    EXPECT_EQ(offers_of(WithData{}), Names{"data-start"});
    EXPECT_EQ(offers_of(without_data), Names{}); // a model that could have data, and has none
    EXPECT_EQ(offers_of(WithSwap{}), Names{"swap"});
    EXPECT_EQ(offers_of(WithCost{}), Names{"cost"});
    EXPECT_EQ(offers_of(WithParameters{}), Names{"parameters"});
    EXPECT_EQ(offers_of(WithDescription{}), Names{"description"});
    EXPECT_EQ(offers_of(WithImages{}), Names{"images"});
}

/// A target, a block of three particles that hold 10, 11 and 12, and calls that have been made on it.
template <class M>
struct Fixture {
    explicit Fixture(const M& model = {}) : target(target_of(model)), block(target->make_block(3)) {
        for (Index i = 0; i < 3; ++i)
            columns()(0, i) = 10 + static_cast<double>(i);
    }
    Matrix& columns() { return own_block<ColumnBlock<double>>(*block).columns(); }
    double first() { return columns()(0, 0); }
    template <class C>
    const C& offered() const {
        return *target->template offers<C>();
    }
    std::shared_ptr<const Target> target;
    std::unique_ptr<Block> block;
    BlockStreams streams{.seed = 1, .step = 2, .generation = 0, .first_slot = 48, .block = 3};
};

TEST(TargetOf, PassesCallsToTheModel) {
    Fixture<Bare> of;
    std::vector<double> out(3, 1.0);
    of.target->add_log_ratio(*of.block, 0.25, 0.75, out);
    EXPECT_EQ(out, (std::vector<double>{6, 6.5, 7}));
    of.target->path_derivative(*of.block, 0.5, out);
    EXPECT_EQ(out, (std::vector<double>{10, 11, 12}));
    of.target->prepare(*of.block);
    EXPECT_EQ(of.first(), 110);
    of.target->recompute(*of.block); // nothing of these states could be derived but by prepare
    EXPECT_EQ(of.first(), 210);
    of.target->draw_start(*of.block, of.streams);
    EXPECT_EQ(of.first(), 48);
    EXPECT_EQ(of.target->log_normaliser_start(), 0.25);
    EXPECT_EQ(of.target->exact_log_ratio(0.5), 1.0);
    EXPECT_EQ(of.target->particle_bytes(), sizeof(double));
    EXPECT_FALSE(of.target->path_is_linear());
    EXPECT_TRUE(target_of(Linear{})->path_is_linear());
}

TEST(TargetOf, ComposesWhatAModelDoesNotFuse) {
    std::vector<double> increments(3, 1.0), derivative(3);
    Fixture<Reversed> forward, backward;
    forward.offered<Transition>().anneal(*forward.block, 0.25, 0.75, forward.streams, increments, derivative);
    EXPECT_EQ(increments.front(), 6);     // of the state before the move
    EXPECT_EQ(derivative.front(), 10.75); // of the one after it
    EXPECT_EQ(forward.first(), 10.75);
    backward.offered<ReversedTransition>().anneal_reversed(*backward.block, 0.75, 0.25, backward.streams, increments,
                                                           derivative);
    EXPECT_EQ(increments.front(), 1);
    EXPECT_EQ(derivative.front(), 9.75);
    backward.offered<ReversedTransition>().move_reversed(*backward.block, 1, backward.streams);
    EXPECT_EQ(backward.first(), 8.75);

    Fixture<Reversible> own; // is its own reversal
    own.offered<ReversedTransition>().move_reversed(*own.block, 1, own.streams);
    EXPECT_EQ(own.first(), 11);
    own.offered<ReversedTransition>().anneal_reversed(*own.block, 1, 0.5, own.streams, increments, derivative);
    EXPECT_EQ(own.first(), 11.5);
}

TEST(TargetOf, UsesFusedStepsWhereTheModelHasThem) {
    std::vector<double> out(3);
    Fixture<Fused> of;
    of.offered<Transition>().anneal(*of.block, 0, 1, of.streams, out, out);
    EXPECT_EQ(of.first(), 1);
    of.offered<ReversedTransition>().anneal_reversed(*of.block, 1, 0, of.streams, out, out);
    EXPECT_EQ(of.first(), 2);
}

TEST(TargetOf, CapabilitiesReachTheModel) {
    Fixture<WithEnd> end;
    end.offered<EndSampler>().draw_end(*end.block, 0.5, end.streams);
    EXPECT_EQ(end.first(), 0.5);
    Fixture<WithMode> mode;
    mode.offered<ModeStart>().set_mode(*mode.block, 0.5, mode.streams);
    EXPECT_EQ(mode.first(), -0.5);
    Fixture<WithData> data;
    data.offered<DataStart>().draw_data(*data.block, 0.5, data.streams);
    EXPECT_EQ(data.first(), 1.5);

    WithModeAtTimes frustrated;
    frustrated.knows_one = false;
    EXPECT_NE(target_of(WithModeAtTimes())->offers<ModeStart>(), nullptr);
    EXPECT_EQ(target_of(frustrated)->offers<ModeStart>(), nullptr);

    Fixture<WithSwap> a, b;
    b.columns().setConstant(-1);
    const std::array<std::uint8_t, 3> which{0, 1, 0};
    a.offered<StateSwap>().swap_states(*a.block, *b.block, which);
    EXPECT_EQ(Vector(a.columns().leftCols(3).transpose()), (Vector{{10, -1, 12}}));
    EXPECT_EQ(Vector(b.columns().leftCols(3).transpose()), (Vector{{-1, 11, -1}}));

    Fixture<WithCost> cost;
    EXPECT_EQ(cost.offered<BlockCost>().cost(*cost.block), 15);
    Fixture<WithParameters> parameters;
    const auto& reported = parameters.offered<ReportedParameters>();
    EXPECT_EQ(reported.parameter_names(), (std::vector<std::string>{"twice", "minus"}));
    EXPECT_EQ(reported.parameters(*parameters.block), (Matrix{{20, 22, 24}, {-10, -11, -12}}));
    Fixture<WithDescription> description;
    EXPECT_EQ(description.offered<DescribedData>().describe_data().observed.size(), 1u);
    Fixture<WithImages> images;
    const auto& pictures = images.offered<ParticleImages>();
    EXPECT_EQ(pictures.images(*images.block, 0.5), Matrix::Constant(6, 3, 0.5));
    EXPECT_TRUE(pictures.image_rows() == 2 && pictures.image_columns() == 3);
}

/// Offers what another one does, by reference.
struct Relay : Capabilities {
    explicit Relay(const Capabilities& other) {
        pass_on<BlockCost>(other);
        pass_on<ModeStart>(other);
    }
};

TEST(Capabilities, CanBePassedOn) {
    const auto target = target_of(WithCost{});
    const Relay relay(*target);
    EXPECT_EQ(relay.offers<BlockCost>(), target->offers<BlockCost>());
    EXPECT_EQ(relay.offers<ModeStart>(), nullptr);
}

} // namespace
} // namespace pearlite::model
