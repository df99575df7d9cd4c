"""The campaign of allocations: in six tiny jobs, on 1 and 2 ranks, an allocation of one rank fails.

usage: allocations.py [--seed S] [--places N] [--minutes M] [--job NAME ...] [--frames F] [--everywhere] [--only CASE]
                      [--journal FILE] [--keep DIR]

First each call site fails once, in a random job that reaches it; then N random allocations of each job and number of
ranks (1000 by default); then, with --everywhere, each call site of each job, number of ranks and rank. A call site is
the place of an allocation and of F - 1 calls above it, 2 by default: its first allocation fails. The seed decides the
order and all random choices. A case has a name, such as smc/2/1/site/97238b47f0cf087a or
smc/2/1/place/4711: job, ranks, the rank that fails, and what of it; --only repeats it.

Required of each case:
  * it ends: within 30 s, or, tried again, within three minutes, which the table calls slow;
  * it ends with status 1 and one message that names memory, or finishes with the same results as without the failure;
  * one in ten of the runs that leave a checkpoint is resumed, and gives these results, too.
Exit status 1 if any of this failed. PEARLITE_FAILING_ALLOCATOR is the library that makes allocations fail.
"""

import argparse
import collections
import shutil
import sys
import typing

import campaign
import failing_memory
import pearlite_runner as runner

JOBS = ("smc", "annealed-importance", "nonequilibrium", "parallel-tempering", "pisaa, replicates", "resample-move")
RANKS = (1, 2)
LIMIT, PATIENCE = 30, 180  # seconds of a run, and of a second try
SHARE_RESUMED = 0.1
FAILED, BORNE, NOT_REACHED = "failed and said so", "borne", "not reached"


class Place(typing.NamedTuple):
    """The place of a failing allocation: the run, and the fault of its rank."""

    job: str
    ranks: int
    fault: failing_memory.Fault

    def name(self):
        what = f"site/{self.fault.site}" if self.fault.site else f"place/{self.fault.place}"
        return f"{self.job}/{self.ranks}/{self.fault.rank}/{what}"


def place_of(name, frames):
    job, ranks, rank, what, which = name.split("/")
    if what == "site":
        return Place(job, int(ranks), failing_memory.Fault(int(rank), site=which, frames=frames))
    return Place(job, int(ranks), failing_memory.Fault(int(rank), place=int(which)))


class Jobs:
    """The jobs of the campaign: their findings, the number of allocations of each rank, and their places."""

    def __init__(self, options, directory, names):
        self.directory, self.files, self.expected, self.counts, self.sites = directory, {}, {}, {}, {}
        for name in names:
            self.files[name] = failing_memory.write(directory, name)
        cases = [(options, name, ranks, rank) for name in names for ranks in RANKS for rank in range(ranks)]
        runner.side_by_side(self.count, cases, options.workers)

    def count(self, options, name, ranks, rank):
        counted = self.directory / f"{name}-{ranks}-{rank}.count"
        out = counted.with_suffix(".out")
        fault = failing_memory.Fault(rank, frames=options.frames)
        ended = failing_memory.run(self.files[name], out, ranks, fault, PATIENCE, counted=counted)
        if ended.status != runner.FINISHED:
            sys.exit(f"allocations.py: {name} fails by itself: {ended.describe()}")
        first, *rest = counted.read_text(encoding="utf-8").splitlines()
        self.counts[name, ranks, rank] = int(first)
        self.sites[name, ranks, rank] = sorted(line.split()[0] for line in rest)
        self.expected[name] = runner.findings(out)
        shutil.rmtree(out)

    def plan(self, options, failed):
        """All places in the order in which they are tried. The sites that have `failed` are not tried once more: a few
        come and go from run to run, and with them what is drawn."""
        draw = campaign.draw_of("allocations", options.seed)
        where = collections.defaultdict(list)
        for run in sorted(self.sites):
            for site in self.sites[run]:
                where[site].append(run)

        def at_site(site, job, ranks, rank):
            return Place(job, ranks, failing_memory.Fault(rank, site=site, frames=options.frames))

        once = [at_site(site, *draw.choice(where[site])) for site in sorted(set(where) - failed)]
        draw.shuffle(once)
        anywhere = []
        for _ in range(options.places):
            for job in self.files:
                for ranks in RANKS:
                    rank = draw.randrange(ranks)
                    fault = failing_memory.Fault(rank, place=draw.randint(1, self.counts[job, ranks, rank]))
                    anywhere.append(Place(job, ranks, fault))
        everywhere = []
        if options.everywhere:
            everywhere = [at_site(site, *run) for site in sorted(where) for run in where[site]]
            draw.shuffle(everywhere)
        return list(dict.fromkeys(place.name() for place in once + anywhere + everywhere))


class Case:
    """A run in which an allocation fails."""

    def __init__(self, options, jobs, name):
        self.name, self.place, self.jobs = name, place_of(name, options.frames), jobs
        self.out = jobs.directory / name.replace("/", "-").replace(", ", "-")
        self.marker = self.out.with_suffix(".failed")
        self.draw = campaign.draw_of("allocations", options.seed, name)
        self.failures, self.is_slow, self.is_resumed = [], False, False

    def attempt(self, limit):
        self.marker.unlink(missing_ok=True)
        shutil.rmtree(self.out, ignore_errors=True)
        return failing_memory.run(self.jobs.files[self.place.job], self.out, self.place.ranks, self.place.fault, limit,
                                  failed=self.marker)

    def check_findings(self, kind, ended):
        if ended.status != runner.FINISHED:
            self.failures.append(f"{kind}: {ended.describe()}")
        elif runner.findings(self.out) != self.jobs.expected[self.place.job]:
            self.failures.append(f"{kind}: other findings than without a fault: {ended.describe()}")

    def run(self):
        """The outcome."""
        try:
            ended = self.attempt(LIMIT)
        except runner.Hang:
            self.is_slow = True
            ended = self.attempt(PATIENCE)
        if not self.marker.exists():
            return NOT_REACHED
        if ended.status == runner.FINISHED:
            self.check_findings("borne", ended)
            return BORNE
        if complaint := failing_memory.complaint(ended):
            self.failures.append(f"message: {complaint}: {ended.describe()}")
        elif ended.status != runner.FAILED:
            self.failures.append(f"status: {ended.describe()}")
        if self.out.is_dir() and runner.checkpoints(self.out) and self.draw.random() < SHARE_RESUMED:
            self.is_resumed = True
            ended = runner.pearlite("resume", self.out, ranks=self.draw.randint(1, 3), timeout=PATIENCE)
            self.check_findings("resumed", ended)
        return FAILED


def sites_of(journal, frames):
    """The call sites that have failed."""
    return {place_of(record["case"], frames).fault.site for record in journal.records} - {""}


def run_case(options, jobs, name):
    case = Case(options, jobs, name)
    try:
        outcome = case.run()
    except (runner.Hang, AssertionError, OSError) as error:
        outcome = FAILED
        case.failures.append(f"{'hang' if isinstance(error, runner.Hang) else 'error'}: {campaign.describe(error)}")
    if case.failures:
        stack = case.marker.read_text(encoding="utf-8", errors="replace") if case.marker.exists() else ""
        print(*(f"{name}: {failure}" for failure in case.failures), stack, sep="\n", file=sys.stderr, flush=True)
        if options.keep and case.out.is_dir():
            shutil.copytree(case.out, options.keep / case.out.name, dirs_exist_ok=True)
    shutil.rmtree(case.out, ignore_errors=True)
    case.marker.unlink(missing_ok=True)
    return {"outcome": outcome, "failures": case.failures, "slow": case.is_slow, "resumed": case.is_resumed}


def report(options, jobs, journal, seconds, tried):
    head = ["job", "ranks", "allocations", "call sites", "sites failed", "places failed", FAILED, BORNE, NOT_REACHED,
            "resumed", "slow", "hangs", "other faults"]
    records = [(place_of(record["case"], options.frames), record) for record in journal.records]
    rows = []
    for job in jobs.files:
        for ranks in RANKS:
            these = [(place, record) for place, record in records if (place.job, place.ranks) == (job, ranks)]
            outcomes = collections.Counter(record["outcome"] for _, record in these)
            failures = [failure for _, record in these for failure in record["failures"]]
            hangs = sum(failure.startswith("hang") for failure in failures)
            every_rank = range(ranks)
            rows.append([job, ranks, " + ".join(str(jobs.counts[job, ranks, rank]) for rank in every_rank),
                         len({site for rank in every_rank for site in jobs.sites[job, ranks, rank]}),
                         sum(bool(place.fault.site) for place, _ in these),
                         sum(not place.fault.site for place, _ in these),
                         outcomes[FAILED], outcomes[BORNE], outcomes[NOT_REACHED],
                         sum(record["resumed"] for _, record in these), sum(record["slow"] for _, record in these),
                         hangs, len(failures) - hangs])
    rows.append(["all", "", *(sum(row[k] for row in rows) if k > 3 else "" for k in range(2, len(head)))])
    print(campaign.table(head, rows))
    sites = {site for found in jobs.sites.values() for site in found}
    failed = sites & sites_of(journal, options.frames)
    print(f"\n{len(sites)} call sites in all, {len(failed)} of them failed; seed {options.seed}, "
          f"{options.frames} frames; {tried} cases in {seconds:.0f} s of this call")
    return campaign.print_failures(journal, f"allocations.py --seed {options.seed} --frames {options.frames}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    campaign.add_options(parser)
    parser.add_argument("--places", type=int, default=1000, metavar="N", help="allocations of each job and ranks")
    parser.add_argument("--frames", type=int, default=2, choices=range(1, 17), metavar="F", help="of a call site")
    parser.add_argument("--job", action="append", choices=failing_memory.JOBS, help="another choice of jobs")
    parser.add_argument("--everywhere", action="store_true", help="each call site of each job, ranks and rank")
    parser.add_argument("--only", metavar="CASE", help="repeat this case alone")
    options = parser.parse_args()
    journal = campaign.Journal(options)
    names = [place_of(options.only, options.frames).job] if options.only else options.job or JOBS
    with runner.scratch_directory() as directory:
        jobs, before = Jobs(options, directory, names), len(journal.records)
        seconds = campaign.run_cases(options, journal, lambda name: run_case(options, jobs, name),
                                     [options.only] if options.only else
                                     jobs.plan(options, sites_of(journal, options.frames)))
        failing = report(options, jobs, journal, seconds, len(journal.records) - before)
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
