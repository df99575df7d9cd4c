#include "algorithm/fitted_path/moment_averaged.hpp"

#include "parallel/states.hpp"

namespace pearlite::algorithm {

MomentAveraged::MomentAveraged(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> model,
                               const MomentSettings& settings, const random::Seed& seed, MakeMain make_main)
    : ranks_(ranks),
      model_(std::move(model)),
      make_main_(std::move(make_main)),
      fit_(std::make_unique<MomentFit>(ranks_, model_, settings, settings.seed(seed))) {}

void MomentAveraged::step() {
    if (main_)
        return main_->step();
    fit_->step();
    if (!fit_->finished())
        return;
    path_ = fit_->path();
    parallel::broadcast_state(ranks_, path_, 0); // ranks on other processors may round otherwise
    make_main();
    main_->begin();
}

void MomentAveraged::make_main() {
    target_ = model_->offers<model::MomentFamily>()->through(path_.knots, path_.at);
    main_ = make_main_(target_);
    fit_.reset();
}

void MomentAveraged::fields(Fields& f) {
    bool began = main_ != nullptr;
    f("main_began", began);
    if (!began)
        return group(f, "fit", *fit_);
    group(f, "path", path_);
    if (!main_)
        make_main();
    group(f, "main", *main_);
}

Progress MomentAveraged::progress() const {
    auto progress = current().progress();
    progress.in_pilot = !main_ || progress.in_pilot;
    progress.stages_before += main_ ? 1 : 0;
    return progress;
}

Found MomentAveraged::found() {
    auto found = current().found();
    found.target = target_.get();
    return found;
}

Outcome MomentAveraged::outcome() const {
    auto outcome = main_->outcome();
    const auto largest = [](const std::vector<double>& values) {
        return *std::max_element(values.begin(), values.end());
    };
    outcome.diagnostics.push_back({"path_rms_residual", largest(path_.rms_residual), {}});
    outcome.diagnostics.push_back({"path_largest_residual", largest(path_.largest_residual), {}});
    outcome.arrays.push_back({"path/at", path_.at});
    outcome.arrays.push_back({"path/cost", path_.cost});
    outcome.arrays.push_back({"path/rate", path_.rate});
    outcome.arrays.push_back({"path/rms_residual", path_.rms_residual});
    outcome.arrays.push_back({"path/largest_residual", path_.largest_residual});
    return outcome;
}

} // namespace pearlite::algorithm
