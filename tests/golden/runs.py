"""Runs rows of the golden table and digests what they find."""

import platform

import digests
import made_data
import pearlite_runner as runner
import rows

SECONDS_OF_A_RUN = 240


class Runs:
    """Runs rows in a scratch directory."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.n_runs = 0
        made_data.make_data(scratch)

    def start(self, *arguments, ranks):
        return runner.pearlite(*arguments, ranks=None if ranks == 1 else ranks, timeout=SECONDS_OF_A_RUN)

    def go(self, *arguments, ranks):
        """True if the run finished, False if it was stopped."""
        ended = self.start(*arguments, ranks=ranks)
        # mpirun may turn 3 into 1.
        stopped = (runner.STOPPED, runner.FAILED) if ranks > 1 else (runner.STOPPED,)
        if ended.status in stopped and "stopped by" in ended.err:
            return False
        if ended.status != runner.FINISHED:
            raise AssertionError(ended.describe())
        return True

    def directory(self, row):
        self.n_runs += 1
        return self.scratch / f"{row.name.replace('/', '+')}-{self.n_runs}"

    def arguments(self, row, ranks):
        """Arguments of the run. The ranks share the chains of a search even if that is slower."""
        together = ["--set", f"algorithm.ranks_per_replicate={ranks}"] if ranks > 1 and row.is_search() else []
        return [*row.arguments(self.scratch), *together]

    def measure(self, row, stop, ranks, resumed_on=None):
        """{column: digest}. A row with a step to stop at is stopped there, and resumed."""
        where = self.directory(row)
        found = {}
        if stop:
            if self.go("run", *self.arguments(row, ranks), "-o", where, "--step-limit", stop, ranks=ranks):
                raise AssertionError(f"the run ended before step {stop}, where it was to be stopped")
            found |= digests.of_checkpoint(where)
            finished = self.go("resume", where, ranks=resumed_on or ranks)
        else:
            finished = self.go("run", *self.arguments(row, ranks), "-o", where, ranks=ranks)
        if not finished:
            raise AssertionError(f"{where.name}: stopped without a request to stop")
        if not runner.summary(where).get("verdict"):
            raise AssertionError(f"{where.name}: no verdict")
        return found | digests.of_results(where)

    def stops_at(self, row, step):
        where = self.directory(row)
        return not self.go("run", *row.arguments(self.scratch), "-o", where, "--step-limit", step, ranks=1)

    def last_step(self, row):
        """The last step at which the row can be stopped; 0 if it has but one step."""
        beyond = 16
        while self.stops_at(row, beyond):
            beyond *= 2
        before = 0 if beyond == 16 else beyond // 2
        while beyond - before > 1:
            middle = (before + beyond) // 2
            before, beyond = (middle, beyond) if self.stops_at(row, middle) else (before, middle)
        return before

    def key(self):
        """The compiler, the CPU and the C library, on which the bits depend."""
        probe = rows.annealed_pair("gaussian", "smc", "random-walk")
        where = self.directory(probe)
        self.go("run", *probe.arguments(self.scratch), "-o", where, ranks=1)
        build, cpu = digests.build_and_cpu(where)
        compiler = build.partition("(")[2].partition(", build")[0]
        return "; ".join([compiler, *([cpu] if "native" in compiler else []), " ".join(platform.libc_ver())])
