"""All figures of a run, in the order of the page."""

from . import (
    along_path,
    chains,
    estimates,
    population,
    predictions,
    tempering,
    training,
    work,
)
from .search import conformation, network, operations, progress, regions
from .style import drawing_style


def draw_all(run):
    """The pictures that this run has the numbers for."""
    with drawing_style():
        pictures = [
            work.distributions(run),
            estimates.compared_estimates(run),
            work.log_ratio_of_densities(run),
            work.posterior(run),
            work.hysteresis(run),
            work.widest_hysteresis(run),
            work.equilibration(run),
            tempering.swap_acceptance(run),
            tempering.mean_of_u(run),
            estimates.batches(run),
            chains.rounds(run),
            conformation.molecule(run),
            conformation.restored_image(run),
            network.network(run),
            progress.against_iterations(run),
            progress.against_evaluations(run),
            progress.replicates(run),
            regions.theta(run),
            regions.visits(run),
            operations.acceptance(run),
            None if run.tempering else population.log_weights(run),
            None if run.tempering else along_path.effective_sample_size(run),
            along_path.running_log_ratio(run),
            along_path.variance_of_u(run),
            along_path.mean_of_u(run),
            along_path.schedule(run),
            along_path.survey(run),
            along_path.acceptance(run),
            along_path.mobility(run),
            along_path.distinct_eves(run),
            predictions.over_time(run),
            *predictions.ranks(run),
            *predictions.calibration(run),
            *population.marginals(run),
            *chains.traces(run),
            training.free_energy(run),
            training.wrong_units(run),
            training.filters(run),
            training.samples(run),
            None if run.search or run.training else population.particles(run),
        ]
    return [picture for picture in pictures if picture is not None]
