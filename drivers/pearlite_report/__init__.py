"""The parts of `pearlite report`: reading a run, statistics and number formats, figures, the page."""
