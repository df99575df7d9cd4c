#pragma once
/// Pilots of few families: their particles have lost peaks by chance, which draws and chains that start from them do
/// not show.

#include <string>

namespace pearlite::algorithm {

/// Effective families of a pilot (FirstDraws::families) below which nothing after it has an error bar.
extern const double fewest_families;

/// A warning if there are fewer than an error bar of the pilot's own would need (estimator/evidence/genealogy.hpp);
/// empty else, and for 0 families, which are not known.
std::string warning_of_families(double families);
/// Whether there are so few that nothing after the pilot has an error bar; false for 0.
bool are_too_few_families(double families);

} // namespace pearlite::algorithm
