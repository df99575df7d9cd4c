#include "algorithm/plans/run_settings.hpp"

namespace pearlite::algorithm {

void RunSettings::keys(Keys& k, const Facts& facts) {
    k("seed", seed, "the same seed gives the same bits on any number of ranks");
    if (facts.has_block)
        k("block", block, within(1, {facts.largest_block, "the model's largest block"}),
          about("particles that are stored and moved together; part of the result").default_is(facts.block_default));
    if (facts.has_balance)
        k("balance", balance, "move blocks between ranks so that they cost the same; changes no number");
    k.seconds("checkpoint_every", checkpoint_every_seconds, "time between two checkpoints");
    k.seconds("time_limit", time_limit_seconds,
              "stop with a checkpoint after so long; --time-limit on the command line wins");
}

} // namespace pearlite::algorithm
