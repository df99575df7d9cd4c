"""Checks that documents, comments, messages and commit subjects are plain English.

usage: check_english.py PROJECT_ROOT [PATH...]

The rules (docs/CONTRIBUTING.md, Words):
  * no sentence begins with "What", "Of", "Those", "So many" or "So much"; a question may begin with "What";
  * `print`, `report`, `write`, `record`, `learn` or `distinguish` stand where "tell", "tells", "telling" or "told" stood;
  * the subject of a commit is "Verb object (area)", as in "Step over gaps in filters (state_space)": a capital letter,
    a verb in the imperative (VERBS), at most 80 columns, an area in lower case.

Read are all Markdown files; comments and strings of C++, Python, shell, CMake, TOML and JavaScript sources; subjects of
commits since SUBJECTS_SINCE, where git and that commit are at hand. With PATH, only files below these paths. Exit status
1 and one line for each fault.
"""

import argparse
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tokenize

FOLDERS = ("include", "src", "drivers", "tests", "jobs", "cmake", "docs", "packaging")
HASH_COMMENTS = {".sh", ".cmake", ".txt", ".toml", ".sbatch", ".yml", ".yaml"}
SLASH_COMMENTS = {".hpp", ".cpp", ".inl", ".js", ".stan", ".in"}

OPENING = re.compile(r"(?:What|Of|Those|So many|So much)(?:'s)?\b")
# A string may be a piece of a sentence, so that only openings that cannot be one count in lower case.
STRING_OPENING = re.compile(r"(?:What|Of|Those|So many|So much|what|those|so many|so much) \w+ ")
TELL = re.compile(r"\b(?:tell|tells|telling|told)\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][)\"'`*]))\s+(?=[A-Z`*\"'(\[])")

SUBJECTS_SINCE = "a5e79bda8a0f640421a216bb2bb10827bc3a87ab"
SUBJECT = re.compile(r"(?P<verb>[A-Z][a-z]+) .*[^ .] \([a-z0-9_ ,./-]+\)")
VERBS = frozenset("""
    Abort Accept Accumulate Adapt Add Adjust Admit Adopt Advance Advise Agree Align Allocate Allow Amend Analyse
    Anneal Annotate Answer Append Apply Approximate Archive Arrange Ask Assemble Assert Assign Attach Attempt
    Average Avoid Await Back Balance Batch Begin Bind Block Borrow Bound Branch Bring Broadcast Build Bypass Cache
    Calculate Calibrate Call Cancel Capture Carry Cast Catch Centre Change Check Choose Cite Claim Clarify Clean
    Clear Clone Close Collect Colour Combine Commit Compare Compile Complete Compress Compute Condition Configure
    Confirm Connect Consider Construct Consume Contain Continue Control Convert Copy Correct Count Cover Create
    Cross Cut Deal Decide Declare Decode Decompose Decrease Deduce Default Defer Define Delay Delete Deliver Demand
    Depend Deploy Deprecate Derive Describe Detach Detect Determine Differentiate Disable Discard Discover Display
    Distinguish Distribute Divide Do Document Double Draw Drive Drop Duplicate Edit Eliminate Embed Emit Enable
    Encode End Enforce Enlarge Ensure Enter Escape Establish Estimate Evaluate Examine Exclude Execute Exercise Exit
    Expand Expect Explain Export Expose Express Extend Extract Factor Fail Feed Fetch Fill Filter Find Finish Fit
    Fix Flag Flush Focus Fold Follow Forbid Force Forget Fork Format Forward Free Freeze Fuse Gather Generate Get
    Give Go Group Grow Guard Halve Handle Help Hide Hint Hoist Hold Honour Identify Ignore Implement Imply Import
    Improve Include Index Inform Inherit Initialise Inject Inline Insert Inspect Install Integrate Interleave
    Interpolate Interpret Introduce Invert Invoke Isolate Iterate Join Judge Justify Keep Kill Label Launch Lay Lead
    Learn Leave Let Lift Limit Link Lint List Load Localise Locate Lock Log Look Loop Lower Maintain Make Manage Map
    Mark Match Maximise Measure Mend Mention Merge Migrate Minimise Mirror Model Modify Monitor Mount Move Multiply
    Name Narrow Need Negate Nest Normalise Note Notice Notify Number Obtain Offer Omit Open Operate Optimise Order
    Organise Overlap Override Own Pack Pad Parallelise Parse Partition Pass Patch Pause Permit Perturb Pick Pin
    Place Plan Plant Plot Point Poll Pool Populate Port Precompile Precompute Predict Prefer Prepare Preserve
    Prevent Print Probe Produce Profile Prohibit Promise Promote Propagate Propose Protect Prove Provide Prune
    Publish Pull Push Put Query Queue Quote Raise Randomise Rank Reach Read Rebase Rebuild Recalculate Receive
    Recognise Recommend Recompute Reconnect Record Recover Redirect Redo Redraw Reduce Refactor Refer Reference
    Refine Refresh Refuse Register Reject Relabel Relax Release Rely Remember Remove Rename Renumber Reorder Repair
    Repeat Rephrase Replace Reply Report Represent Reproduce Request Require Rescale Reserve Reset Reshape Resolve
    Respect Restart Restore Restrict Restructure Resume Retain Retire Retry Return Reuse Reverse Revert Review
    Rework Rewrite Roll Rotate Round Route Run Sample Satisfy Save Say Scale Scan Schedule Score Search Seed Select
    Send Separate Serve Set Settle Shard Share Shift Ship Shorten Show Shrink Shuffle Sign Silence Simplify Simulate
    Size Skip Sleep Slice Smooth Solve Sort Specify Speed Spell Split Spread Square Stabilise Standardise Start
    State Stay Step Stop Store Stream Strengthen Strip Structure Study Submit Substitute Subtract Suggest Sum
    Summarise Supply Support Suppress Survive Suspend Swap Switch Synchronise Tabulate Tag Take Teach Temper
    Terminate Test Thin Throw Tidy Tighten Tile Time Touch Trace Track Trade Train Transfer Transform Translate
    Transpose Traverse Treat Trigger Trim Truncate Trust Try Tune Turn Type Undo Unify Unlock Unpack Unroll Update
    Use Validate Vary Vectorise Verify Version Visit Wait Walk Warn Watch Weaken Weigh Weight Widen Withdraw
    Withhold Work Wrap Write Yield Zero
    """.split())


def sources(root, paths):
    files = [file for file in sorted(root.glob("*")) if file.is_file()]
    for folder in FOLDERS:
        files += sorted(file for file in (root / folder).rglob("*") if file.is_file())
    for file in files:
        if paths and not any(file == path or path in file.parents for path in paths):
            continue
        if file.suffix == ".md" or file.suffix == ".py" or file.suffix in HASH_COMMENTS | SLASH_COMMENTS:
            yield file


def paragraphs_of_lines(lines):
    """Paragraphs of (line number, text): lines that follow each other, without what marks items, headings and cells."""
    paragraph, first, last = [], None, None

    def flushed():
        return [(first, " ".join(paragraph))] if paragraph else []

    for number, line in lines:
        text = line.strip()
        if text.startswith("|"):
            yield from flushed()
            paragraph = []
            for cell in text.strip("|").split(" | "):
                yield number, cell.strip()
            continue
        item = re.match(r"(?:[-*+]|#+|\d+\.|>|\[[^\]]*\]:|:)\s+(.*)", text)
        if not text or item or (last is not None and number != last + 1):
            yield from flushed()
            paragraph = []
        if text:
            if not paragraph:
                first = number
            paragraph.append(item.group(1) if item else text)
        last = number
    yield from flushed()


def markdown(text):
    """Paragraphs outside blocks of code; code between back quotes is left out."""
    lines, fenced = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        lines.append((number, "" if fenced else re.sub(r"`[^`]*`", "`x`", line)))
    return paragraphs_of_lines(lines)


def slash_source(text):
    """Comments and strings of C++ and JavaScript: (paragraphs of comments, strings)."""
    comments, strings = [], []
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    end_of_string = None
    for match in token.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found = match.group(0)
        if found.startswith("//"):
            comments.append((line, found.lstrip("/<! ")))
        elif found.startswith("/*"):
            comments += [(line + k, part.strip(" /*")) for k, part in enumerate(found.split("\n"))]
        elif found.startswith("R"):
            strings.append((line, match.group(2)))
        elif found.startswith('"'):
            between = text[end_of_string:match.start()] if end_of_string is not None else "-"
            if strings and not between.strip():
                strings[-1] = (strings[-1][0], strings[-1][1] + match.group(3))
            else:
                strings.append((line, match.group(3)))
            end_of_string = match.end()
    return paragraphs_of_lines(comments), strings


def python_source(text):
    comments, strings, joins = [], [], False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string.lstrip("#! ")))
        elif token.type == tokenize.STRING:
            body = re.sub(r"^[rbfuRBFU]*('''|\"\"\"|'|\")|('''|\"\"\"|'|\")$", "", token.string)
            if joins:
                strings[-1] = (strings[-1][0], strings[-1][1] + body)
            else:
                strings.append((token.start[0], body))
            joins = True
        elif token.type != tokenize.NL:
            joins = False
    return paragraphs_of_lines(comments), strings


def hash_source(text):
    lines = [(number, line.strip().lstrip("#! ")) for number, line in enumerate(text.splitlines(), 1)
             if line.lstrip().startswith("#")]
    return paragraphs_of_lines(lines), [(number, match.group(1)) for number, line in enumerate(text.splitlines(), 1)
                                        if not line.lstrip().startswith("#")
                                        for match in re.finditer(r'"((?:\\.|[^"\\])*)"', line)]


def faults_in_sentences(line, paragraph):
    for sentence in SENTENCE.split(paragraph):
        stripped = sentence.lstrip("*_\"'([")
        opening = OPENING.match(stripped)
        if opening and not stripped.rstrip("*_\"')]").endswith("?"):
            yield line, f'a sentence begins with "{opening.group(0)}"', sentence
        for tell in TELL.finditer(re.sub(r"`[^`]*`", "", sentence)):
            yield line, f'"{tell.group(0)}"', sentence


def faults_in_string(line, string):
    if "\n" in string or "\\n" in string:
        parts = [part for part in re.split(r"\n|\\n", string)]
        for number, paragraph in paragraphs_of_lines([(line + k, part) for k, part in enumerate(parts)]):
            yield from faults_in_sentences(number, paragraph)
        return
    opening = STRING_OPENING.match(string)
    if opening and not string.rstrip().endswith("?"):
        yield line, f'a message begins with "{opening.group(0).strip()}"', string
    elif " " in string:
        yield from faults_in_sentences(line, string)


def faults_of_file(file):
    text = file.read_text(errors="replace")
    if file.suffix == ".md":
        paragraphs, strings = markdown(text), []
    elif file.suffix == ".py":
        paragraphs, strings = python_source(text)
    elif file.suffix in SLASH_COMMENTS:
        paragraphs, strings = slash_source(text)
    else:
        paragraphs, strings = hash_source(text)
    for line, paragraph in paragraphs:
        yield from faults_in_sentences(line, paragraph)
    for line, string in strings:
        yield from faults_in_string(line, string)


def faults_of_subjects(root):
    """Faults of subjects of commits; none where git or the first commit is not at hand."""
    if not shutil.which("git"):
        return
    log = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), "log", "--no-merges",
                          "--format=%h %s", f"{SUBJECTS_SINCE}..HEAD"], capture_output=True, text=True, check=False)
    for line in log.stdout.splitlines() if log.returncode == 0 else []:
        revision, subject = line.split(" ", 1)
        yield from ((revision, fault, subject) for fault in faults_of_subject(subject))


def faults_of_subject(subject):
    match = SUBJECT.fullmatch(subject)
    if not match:
        yield 'a subject is "Verb object (area)"'
    elif match["verb"] not in VERBS:
        yield f'"{match["verb"]}" is no verb of the list VERBS in check_english.py'
    if len(subject) > 80:
        yield f"a subject of {len(subject)} columns, at most 80"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    own = pathlib.Path(__file__).resolve()
    faults = []
    for file in sources(root, [path.resolve() for path in arguments.paths]):
        if file.resolve().name.startswith(own.stem):
            continue
        for line, fault, sentence in faults_of_file(file):
            faults.append(f"{file.relative_to(root)}:{line}: {fault}: {sentence[:90]}")
    if not arguments.paths:
        faults += [f"commit {revision}: {fault}: {subject}" for revision, fault, subject in faults_of_subjects(root)]
    print(f"{len(faults)} places are not plain English")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
