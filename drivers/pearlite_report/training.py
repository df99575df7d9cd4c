"""Records of a training: the fit of its examples by epoch, and pictures of the learnt parameters."""

from . import numbers
from .population import sheet_of
from .style import BLUE, ORANGE, Picture, finish, new_axes


def free_energy(run):
    """Free energies of the training and of the held-out examples; where the two diverge, the model overfits."""
    return _by_epoch(run, "free_energy", "free-energy", "Free energies", "Mean free energy (nats)")


def wrong_units(run):
    return _by_epoch(run, "wrong_units", "wrong-units", "Reconstructions", "Wrong units of an example")


def _by_epoch(run, name, file, title, label):
    epoch = run.training.get("epoch")
    if epoch is None or len(epoch) != len(run.training.get(name, ())):
        return None
    figure, axes = new_axes()
    axes.plot(epoch, run.training[name], color=BLUE, label="training examples")
    held_out = run.training.get(f"held_out_{name}")
    if held_out is not None and len(held_out) == len(epoch):
        axes.plot(epoch, held_out, color=ORANGE, linestyle="--", label="held-out examples")
    axes.legend(loc="lower center", ncol=2, bbox_to_anchor=(0.5, 1))
    axes.set_xlabel("Epochs")
    axes.set_ylabel(label)
    fits = run.summary.get("training") or {}
    caption = "; ".join(
        f"{words}: {numbers.plain(fits[kind][name], 5)} in the end, a mean of "
        f"{numbers.counted(fits[kind].get('examples', 0), 'example')}"
        for kind, words in (("training", "Training"), ("held_out", "Held out"))
        if name in (fits.get(kind) or {})
    )
    return finish(figure, file, "training", title, caption + "." if caption else "")


def filters(run):
    """The weights of each hidden unit."""
    if not run.training or run.filters is None:
        return None
    n, rows, columns = run.filters.shape
    caption = (
        f"The first {n} of {numbers.counted(run.n_filters, 'hidden unit')}, ten a row, {rows} × {columns} weights; "
        "grey is 0, black the largest magnitude, white its negative."
    )
    return Picture("filters", "particles", "Filters", caption, sheet_of(run.filters), "png")


def samples(run):
    """Chains of the trained model, from independent units at the start."""
    if not run.training or run.images is None:
        return None
    n, rows, columns = run.images.shape
    caption = f"{numbers.counted(n, 'chain')} of the trained model, ten a row, {rows} × {columns} pixels: the probability to be on."
    return Picture("samples", "particles", "Samples", caption, sheet_of(run.images), "png")
