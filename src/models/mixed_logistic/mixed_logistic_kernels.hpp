#pragma once
/// The integrals of a mixed logistic regression, eight subjects at a time: kernels (simd/instructions.hpp). Internal to
/// the layer.

#include "models/mixed_logistic/mixed_logistic.hpp"

#include <array>

namespace pearlite::models::detail {

/// place[s]: of subject s, in order of first appearance, among the lanes.
SubjectGroups group_subjects(const MixedLogisticSettings& settings, std::vector<Index>& place);

/// The rows of one group at a point: offsets 8 x rows, slopes 8 x (rows q), as SubjectRows describes them.
struct GroupAtPoint {
    Index rows = 0;
    Matrix offsets, slopes;

    GroupAtPoint(const SubjectGroups& groups, Index n_effects)
        : offsets(SubjectGroups::width, groups.most_rows()),
          slopes(SubjectGroups::width, groups.most_rows() * n_effects) {}
    void set(const SubjectGroups& groups, Index group, const Vector& coefficients, const Matrix& factor);
};

/// Uniforms that a four of samples takes of each subject.
constexpr Index uniforms_of_four(Index n_effects) {
    return n_effects <= 2 ? 2 : 6;
}

/// Centres and shapes of the proposals of one group's subjects, as their own code lays them out.
struct GroupProposal {
    static constexpr Index most_effects = 4;
    std::array<double, SubjectGroups::width*(most_effects + 1 + most_effects * most_effects)> numbers;
};

/// The modes of a group's integrands, searched for; 1 <= n_effects <= 4, here and below.
template <class Instructions>
void find_proposal(const GroupAtPoint& at, Index n_effects, GroupProposal& proposal);

/// log of the estimate of each subject of group number `group` from n_fours fours of samples.
template <class Instructions>
void estimate_group(const GroupAtPoint& at, Index n_effects, const GroupProposal& proposal, Index group, Index n_fours,
                    const random::Address& address, std::span<double, SubjectGroups::width> out);

/// Relative variance of one four's mean weight, estimated from n_fours >= 2 of each subject.
template <class Instructions>
void four_variances(const GroupAtPoint& at, Index n_effects, const GroupProposal& proposal, Index group, Index n_fours,
                    const random::Address& address, std::span<double, SubjectGroups::width> out);

/// log of each subject's integral.
template <class Instructions>
void integrate_group(const GroupAtPoint& at, Index n_effects, std::span<double, SubjectGroups::width> out);

/// Means under the distribution of v whose density is a subject's integrand, over the integral: of 1 - logistic(t) of
/// each row (8 x rows), t its predictor, and of that times v (8 x (rows q)). They are the derivatives of the integral's
/// log by offsets and slopes.
struct GroupSlopes {
    Matrix by_offsets, by_slopes;
    Matrix wrong; ///< scratch space

    GroupSlopes(const SubjectGroups& groups, Index n_effects)
        : by_offsets(SubjectGroups::width, groups.most_rows()),
          by_slopes(SubjectGroups::width, groups.most_rows() * n_effects),
          wrong(SubjectGroups::width, groups.most_rows()) {}
};

/// `rough`: one grid, a standard deviation from point to point, as far as single precision sees: some 13 points of one
/// effect in place of 40.
enum class Quadrature : int { fine, rough };

/// With derivatives, those of the sum over the finest grid.
template <class Instructions>
void integrate_group(const GroupAtPoint& at, Index n_effects, std::span<double, SubjectGroups::width> out,
                     GroupSlopes& slopes, Quadrature quadrature);

} // namespace pearlite::models::detail
