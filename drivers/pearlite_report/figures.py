"""All figures of a run, in the order of the page."""

from . import (
    along_path,
    chains,
    estimates,
    growth,
    parameters,
    population,
    states,
    tempering,
    training,
    work,
)
from .predictions import checks, reliability
from .search import conformation, edges, network, operations, progress, regions
from .style import drawing_style


def draw_all(run):
    """The pictures that this run has the numbers for."""
    with drawing_style():
        pictures = [
            work.distributions(run),
            states.overlap(run),
            estimates.compared_estimates(run),
            work.log_ratio_of_densities(run),
            work.posterior(run),
            work.hysteresis(run),
            work.widest_hysteresis(run),
            work.equilibration(run),
            *work.quantities(run),
            tempering.swap_acceptance(run),
            tempering.mean_of_u(run),
            estimates.replicates(run),
            chains.rounds(run),
            conformation.molecule(run),
            conformation.restored_image(run),
            network.network(run),
            edges.probabilities(run),
            progress.against_iterations(run),
            progress.against_evaluations(run),
            progress.replicates(run),
            regions.theta(run),
            regions.visits(run),
            operations.acceptance(run),
            None if run.tempering else population.log_weights(run),
            None if run.tempering or run.growth else along_path.effective_sample_size(run),
            None if run.growth else along_path.running_log_ratio(run),
            along_path.variance_of_u(run),
            along_path.mean_of_u(run),
            along_path.schedule(run),
            along_path.survey(run),
            along_path.acceptance(run),
            along_path.mobility(run),
            along_path.distinct_eves(run),
            growth.running_log_ratio(run),
            growth.effective_share(run),
            growth.particles(run),
            checks.over_time(run),
            *checks.ranks(run),
            *checks.calibration(run),
            reliability.diagram(run),
            parameters.forest(run),
            parameters.pairs(run),
            *population.marginals(run),
            *chains.traces(run),
            training.free_energy(run),
            training.wrong_units(run),
            training.filters(run),
            training.samples(run),
            None if run.search or run.training else population.particles(run),
        ]
    return [picture for picture in pictures if picture is not None]
