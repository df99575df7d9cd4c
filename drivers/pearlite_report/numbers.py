"""Small statistics of weighted draws, and numbers formatted for readers. Pure functions."""

import math

import numpy

MINUS = "\N{MINUS SIGN}"


def log_mean_exp(log_values):
    """log(mean(exp(x))) over all entries; -inf counts as zero, NaN is left out. -inf if nothing is left."""
    values = numpy.asarray(log_values, dtype=float)
    values = values[~numpy.isnan(values)]
    if len(values) == 0:
        return -math.inf
    top = values.max()
    if not math.isfinite(top):
        return float(top)
    return float(top + math.log(numpy.exp(values - top).mean()))


def normalised_weights(log_weight):
    """Weights that sum to one; NaN and -inf become zero. None if no weight is usable."""
    values = numpy.where(numpy.isnan(log_weight), -math.inf, log_weight)
    top = values.max(initial=-math.inf)
    if not math.isfinite(top):
        return None
    weights = numpy.exp(values - top)
    return weights / weights.sum()


def effective_sample_size(weights):
    """1 / sum of squared normalised weights."""
    return 1.0 / float(numpy.square(weights).sum())


def weighted_quantiles(values, weights, levels):
    """The smallest values at which the cumulated weight reaches each level."""
    order = numpy.argsort(values, kind="stable")
    cumulated = numpy.cumsum(weights[order])
    at = numpy.searchsorted(cumulated, numpy.asarray(levels) * cumulated[-1])
    return values[order][numpy.minimum(at, len(values) - 1)]


def decimate(x, y, max_points):
    """At most max_points of a long series: of every stretch the lowest and the highest point, so no spike is lost."""
    n = len(x)
    if n <= max_points:
        return x, y
    edges = numpy.linspace(0, n, (max_points - 2) // 2 + 1).astype(int)
    keep = {0, n - 1}
    for begin, end in zip(edges[:-1], edges[1:]):
        keep.add(begin + int(numpy.argmin(y[begin:end])))
        keep.add(begin + int(numpy.argmax(y[begin:end])))
    index = numpy.array(sorted(keep))
    return x[index], y[index]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def plain(value, digits=6):
    """A number with this number of significant digits; integers in full with thin spaces between thousands."""
    if not is_number(value):
        return "not available" if value is None else str(value)
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "infinity" if value > 0 else MINUS + "infinity"
    if isinstance(value, int) or (value == int(value) and abs(value) < 10**digits):
        text = f"{int(value):,}".replace(",", "\N{NARROW NO-BREAK SPACE}") if abs(value) >= 10000 else str(int(value))
        return text.replace("-", MINUS)
    return _scientific(f"{value:.{digits}g}")


def fixed(value, decimals):
    """A number with this number of decimals; infinities and NaN in words."""
    if not is_number(value) or not math.isfinite(value):
        return plain(value)
    return f"{value:.{decimals}f}".replace("-", MINUS)


def decimals_for(standard_error):
    """How many decimals show the standard error with two significant digits; None if that says nothing."""
    if not is_number(standard_error) or not math.isfinite(standard_error) or standard_error <= 0:
        return None
    decimals = 1 - math.floor(math.log10(standard_error))
    return min(max(decimals, 0), 12)


def with_precision_of(value, standard_error):
    """A value rounded where its standard error (two digits) ends."""
    decimals = decimals_for(standard_error)
    return plain(value, 10) if decimals is None else fixed(value, decimals)


def wilson(share, count, sds=2.0):
    """The binomial probabilities for which this share of `count` is at most `sds` standard deviations off."""
    n = numpy.maximum(count, 1)
    middle = (share + sds**2 / (2 * n)) / (1 + sds**2 / n)
    half = sds / (1 + sds**2 / n) * numpy.sqrt(share * (1 - share) / n + sds**2 / (4 * n**2))
    return middle - half, middle + half


def duration(seconds):
    """Seconds as days, hours, minutes and seconds."""
    if not is_number(seconds) or not math.isfinite(seconds) or seconds < 60:
        return f"{plain(seconds, 3)} s"
    whole = round(seconds)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    while parts[0][0] == 0:
        parts.pop(0)
    return " ".join(f"{count} {unit}" for count, unit in parts)


def counted(count, noun, plural=None):
    """1 point, 2 points."""
    return f"{plain(int(count))} {noun if count == 1 else plural or noun + 's'}"


def _scientific(text):
    if "e" not in text:
        return text.replace("-", MINUS)
    mantissa, exponent = text.split("e")
    superscript = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa} × 10{superscript}".replace("-", MINUS)
