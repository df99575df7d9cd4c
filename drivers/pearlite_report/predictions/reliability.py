"""Reliability of predicted classes: observed frequencies against predicted probabilities of held-out observations."""

import numpy

from .. import numbers
from ..style import BLUE, GREY, ORANGE, finish, new_axes


def diagram(run):
    """The run's predictions, and those of approximations beside them."""
    predictions = run.summary.get("predictions")
    if not isinstance(predictions, dict) or not predictions.get("calibration"):
        return None
    others = {name: entry for name, entry in predictions.items() if isinstance(entry, dict)}
    figure, axes = new_axes()
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    _draw(axes, predictions, 0.0, BLUE, "o", "this run")
    for place, (name, entry) in enumerate(others.items()):
        _draw(axes, entry, 0.012 * (place + 1), ORANGE, "s", name.replace("-", " "))
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("Predicted probability of the second class")
    axes.set_ylabel("Frequency of the second class")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, borderaxespad=0)
    caption = (
        f"{numbers.counted(predictions.get('n', 0), 'row')} held out, in bins of a tenth; bars are binomial, two standard "
        f"errors each way (Wilson's interval). {_score(predictions, 'This run')}"
    )
    for name, entry in others.items():
        caption += " " + _score(entry, name.replace("-", " ").capitalize())
    return finish(figure, "reliability", "predictions", "Reliability of predicted classes", caption)


def _draw(axes, entry, shift, colour, marker, label):
    bins = entry["calibration"]
    predicted, observed, n = (numpy.array([one[key] for one in bins]) for key in ("mean_probability", "frequency", "n"))
    low, high = numbers.wilson(observed, n)
    axes.vlines(predicted + shift, low, high, color=colour, linewidth=1.8, alpha=0.45)
    axes.plot(predicted + shift, observed, marker, color=colour, markersize=4, label=label)


def _score(entry, name):
    parts = []
    for key, words, scale, unit in (("error_rate", "errors", 100, " %"), ("log_loss", "log loss", 1, " nats")):
        value, error = entry.get(key), entry.get(f"{key}_standard_error")
        if not numbers.is_number(value) or not numbers.is_number(error):
            continue
        text = f"{words} {numbers.with_precision_of(scale * value, scale * error)}"
        text += f" ± {numbers.with_precision_of(scale * error, scale * error)}{unit}"
        monte_carlo = entry.get(f"{key}_monte_carlo_error")
        if numbers.is_number(monte_carlo):
            text += f" (Monte Carlo {numbers.plain(scale * monte_carlo, 2)})"
        parts.append(text)
    return f"{name}: {', '.join(parts)}." if parts else ""
