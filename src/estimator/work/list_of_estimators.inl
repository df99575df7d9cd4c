// Estimators from works beside BAR and the histogram, a line for each source: it defines <name>_estimators(). Results
// list them in this order.
PEARLITE_WORK_ESTIMATORS(jarzynski)
PEARLITE_WORK_ESTIMATORS(cumulant)
