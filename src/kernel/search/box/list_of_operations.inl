// The operations of searches in a box, one line each: a source in src/kernel/box/operations defines <name>_operation().
// Configurations list them in this order.
PEARLITE_BOX_OPERATION(metropolis)
PEARLITE_BOX_OPERATION(hit_and_run)
PEARLITE_BOX_OPERATION(k_point)
PEARLITE_BOX_OPERATION(k_point_crossover)
PEARLITE_BOX_OPERATION(snooker)
PEARLITE_BOX_OPERATION(snooker_as_printed)
PEARLITE_BOX_OPERATION(linear)
PEARLITE_BOX_OPERATION(differential)
