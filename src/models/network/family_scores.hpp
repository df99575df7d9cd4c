#pragma once
/// Scores of families (a node and its parents) of a Bayesian network over discrete data.

#include "pearlite/core/types.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pearlite::models {

// Tables of categorical data.

/// A row per observation, a column per variable; variable i takes the levels 0 .. levels[i]-1.
struct DiscreteTable {
    Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> values;
    std::vector<Index> levels;
    std::vector<std::string> names;

    Index rows() const { return values.rows(); }
    Index variables() const { return values.cols(); }
};

/// The table of these codes, which must be whole and in 0 .. 255. Without `levels` the codes that a column has are the
/// levels of its variable, in increasing order: 1 and 2 are two levels, and so are 0 and 5. With `levels`, codes are
/// 0 .. levels-1, and a level need not occur. Without `names` the variables are called X1, X2 and so on. InputError
/// names the row and the column that do not fit.
DiscreteTable discrete_table(const Matrix& values, std::vector<std::string> names = {}, std::vector<Index> levels = {});

/// A set of variables: bit i is variable i.
using NodeSet = std::uint64_t;

struct NetworkSettings {
    Index parent_limit = 5;            ///< largest number of parents of a node, 0 .. 8
    double edge_prior = 0.1;           ///< b: a network of |E| edges has the prior (b / (1-b))^|E|; in (0, 1)
    double equivalent_sample_size = 1; ///< s of the Dirichlet priors, a = s / (r q); above 0
    std::size_t table_bytes = std::size_t{256} << 20; ///< most memory for tabulated scores
};

/// The score of node i with parents pa, minus its part of the log posterior (Ellis & Wong 2008; Karagiannis et al.
/// 2017, eq. 4.8 with its Gamma(a) and 1 - a read as Gamma(A) and 1 - b, without which it is no probability):
///
///     - |pa| log(b / (1-b)) - sum_k [ lnG(A) - lnG(A + n_ik) + sum_j (lnG(a + n_ijk) - lnG(a)) ],
///
/// a = s / (r_i q_i), A = s / q_i, r_i the levels of i, q_i the joint states of its parents, n_ijk the rows where i is
/// in level j and the parents in state k; k runs over the states that occur (the others add nothing).
///
/// Scores are rounded to multiples of quantum(), a power of two so large that every sum of the scores of a network is
/// exact: an energy that is kept by increments has the bits of one that is added up afresh. (SPECT: 1.5e-11.)
///
/// Scores of up to tabulated_parents() parents, as many as table_bytes allows, are computed once, by the constructor;
/// larger families are scored when they are asked for. Both give the same bits.
class FamilyScores {
  public:
    static constexpr Index most_variables = 64;
    static constexpr Index most_parents = 8;

    /// InputError for a setting out of range, for more than 64 variables, or if r q may exceed 2^53.
    FamilyScores(const DiscreteTable& table, const NetworkSettings& settings);

    Index variables() const { return static_cast<Index>(levels_.size()); }
    /// The largest number of parents, at most variables() - 1.
    Index parent_limit() const { return parent_limit_; }
    Index tabulated_parents() const { return tabulated_parents_; }
    std::size_t table_bytes() const { return table_.size() * sizeof(double); }
    double quantum() const { return quantum_; }

    /// The score of a node with at most parent_limit() parents, itself not among them (not checked).
    double score(Index node, NodeSet parents) const {
        return std::popcount(parents) <= tabulated_parents_ ? table_[place(node, parents)] : direct(node, parents);
    }
    /// The same number from the data.
    double direct(Index node, NodeSet parents) const;

    /// The place of a set of at most parent_limit() variables, all of them below variables() - 1, among all such sets,
    /// smaller sets first (the combinatorial number system).
    Index rank(NodeSet set) const {
        Index rank = first_rank_[static_cast<std::size_t>(std::popcount(set))];
        for (std::size_t k = 0; set != 0; set &= set - 1)
            rank += binomials_[++k][static_cast<std::size_t>(std::countr_zero(set))];
        return rank;
    }
    /// Number of sets of up to `parents` of the variables() - 1 possible parents.
    Index sets_up_to(Index parents) const { return first_rank_[static_cast<std::size_t>(parents) + 1]; }

  private:
    using Words = std::vector<std::uint64_t>;
    /// The rows in each joint state of some variables that occurs: as bits, and their number.
    struct States {
        Words rows;
        std::vector<Index> counts;
        double joint_states = 1;
    };
    /// lnG(s/t + c) - lnG(s/t) for c = 0 .. rows.
    struct Rises {
        double t;
        std::vector<double> values;
    };

    std::size_t place(Index node, NodeSet parents) const {
        const NodeSet below = (NodeSet{1} << node) - 1;
        return static_cast<std::size_t>(node * stride_ + rank((parents & below) | (parents >> 1 & ~below)));
    }
    void set_up_ranks();
    void set_up_rows(const DiscreteTable& table);
    void set_up_rises();
    void set_up_quantum();
    void tabulate(std::vector<States>& states, NodeSet set, Index size, Index first);
    States all_rows() const;
    void split(const States& states, Index variable, States& result) const;
    double score_of(Index node, Index parents, const States& states) const;
    double rise(const Rises* known, double t, Index count) const;
    const Rises* rises(double t) const;

    std::vector<Index> levels_;
    NetworkSettings settings_;
    Index rows_, parent_limit_, tabulated_parents_ = -1, stride_ = 0;
    std::size_t words_; ///< of a set of rows, a multiple of 8
    double log_odds_, quantum_ = 0;
    std::vector<Words> planes_; ///< of variable i: the rows in level 0, in level 1, and so on
    std::vector<Rises> rises_;  ///< by increasing t; empty where they would take too much memory
    std::array<std::array<std::uint32_t, most_variables>, most_parents + 1> binomials_{}; ///< [k][n]: n over k
    std::array<Index, most_parents + 2> first_rank_{};
    std::vector<double> table_;
};

} // namespace pearlite::models
