#include "algorithm/plans/run_settings.hpp"

namespace pearlite::algorithm {

void RunSettings::keys(Keys& k, const Facts& facts) {
    k("seed", seed.value, "the same seed gives the same bits on any number of ranks");
    k("generator", generator,
      {{"auto", GeneratorChoice::automatic,
        "\"ars\" for lattices, whose moves are random bits above all, else \"philox\""},
       {"philox", GeneratorChoice::philox, "Philox4x32-10: fast on any CPU"},
       {"ars", GeneratorChoice::ars,
        "ARS4x32-7: twice as fast as Philox or more on CPUs with AES instructions, far slower on others"}},
      "generator of the random numbers; another one gives other numbers");
    seed.generator = generator == GeneratorChoice::automatic ? facts.generator
                     : generator == GeneratorChoice::ars     ? random::Generator::ars
                                                             : random::Generator::philox;
    if (facts.has_block)
        k("block", block, within(1, {facts.largest_block, "the model's largest block"}),
          about("particles that are stored and moved together; part of the result").default_is(facts.block_default));
    if (facts.has_balance)
        k("balance", balance, "move blocks between ranks so that they cost the same; changes no number");
    if (facts.has_spot_check)
        k("spot_check", checks_spots,
          "after the run of a density with an exact likelihood, look for its maxima by descents, and compare the mass "
          "around them with the particles there: a fiftieth of the run's densities, at least 2000");
    k.seconds_or(auto_word, "checkpoint_every", checkpoint_every_seconds,
                 "time between two checkpoints; \"auto\": the one that loses least, from the measured cost of a "
                 "checkpoint and run.mean_time_between_failures (Daly 2006)");
    k.seconds("mean_time_between_failures", mean_time_between_failures,
              "mean time between failures of the whole job: that of a node divided by the number of nodes; for "
              "checkpoint_every = \"auto\"");
    k.seconds("time_limit", time_limit_seconds,
              "time after which to stop with a checkpoint; --time-limit on the command line overrides it");
    k("short", is_short, "take the keys in [short] in place of those in their tables: the short form of a long job");
}

} // namespace pearlite::algorithm
