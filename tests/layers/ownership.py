"""Rules that keep a new algorithm to a folder and a line: crowded folders, and algorithms known outside their folders."""

import pathlib
import re
import tempfile

MOST_FILES = 30  # of a folder that is one thing; more are not read at a glance
MOST_HEADERS = 33  # of include, for programs outside
SHARED = {"common", "fitted_path", "pilot", "plans", "replicates", "spot_check"}  # of src/algorithm, no algorithm's
# Headers of an algorithm's folder that results are made of.
RESULTS = {"algorithm/search/search.hpp", "algorithm/search/search_record.hpp"}
REGISTRY = "src/app/configured/prepare.cpp"  # may name the algorithms that run by default
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](algorithm/(\w+)/[^>"]+)[>"]', re.MULTILINE)
ENTRY_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
NAME = re.compile(r'(?:own_name = |\bname\(\) const override \{ return |\bentry\()"([a-z0-9-]+)"')
COMMENT = re.compile(r"//[^\n]*")


def crowded(root, known):
    """Folders with too many files, and numbers of `known` that are too large by now."""
    faults = []
    for base in ("src", "include", "drivers"):
        for folder in [root / base, *(path for path in sorted((root / base).rglob("*")) if path.is_dir())]:
            name, count = str(folder.relative_to(root)), sum(path.is_file() for path in folder.iterdir() if path.suffix != ".pyc")
            if count > known.get(name, MOST_FILES):
                faults.append(f"{name}: {count} files, at most {known.get(name, MOST_FILES)} make a folder that is read at a glance")
            elif name in known and count < known[name]:
                faults.append(f"known_exceptions.py: {name} has {count} files by now, not {known[name]}")
    return faults + [f"known_exceptions.py: there is no folder {name}" for name in known if not (root / name).is_dir()]


def sources(root):
    """(name, folder, text without comments) of every source file."""
    for base in ("include", "src", "drivers"):
        for file in sorted((root / base).rglob("*.[chi][pn][pl]")):
            name = file.relative_to(root)
            yield str(name), str(name.parent), COMMENT.sub("", file.read_text())


def own_folder(name):
    """The algorithm whose file this is, or None."""
    parts = pathlib.PurePath(name).parts
    return parts[2] if parts[:2] == ("src", "algorithm") and len(parts) > 3 and parts[2] not in SHARED else None


def foreign_includes(root, known):
    """Headers of an algorithm's folder that others include."""
    faults, used = [], set()
    for name, folder, text in sources(root):
        for include, algorithm in INCLUDE.findall(text):
            if algorithm in SHARED or own_folder(name) == algorithm or include in RESULTS:
                continue
            if include in known.get(folder, ()):
                used.add((folder, include))
            else:
                faults.append(f"{name}: #include of {include}: only {algorithm} itself may include it")
    unused = {(folder, include) for folder, includes in known.items() for include in includes} - used
    return faults + [f"known_exceptions.py: {folder} includes {include} no longer" for folder, include in sorted(unused)]


def foreign_names(root):
    """Entries and configured names of an algorithm that others mention."""
    words = {}  # pattern: the folder it belongs to
    for entry in sorted((root / "src/algorithm").glob("*/entry.cpp")):
        text, folder = entry.read_text(), entry.parent.name
        words |= {rf"\b{word}\b": folder for word in ENTRY_CLASS.findall(text)}
        words |= {rf'"{word}\\?"': folder for word in NAME.findall(text)}
        words[rf"\b{folder}_entr(?:y|ies)\b"] = folder
    faults = []
    for name, _, text in sources(root):
        for word, folder in words.items():
            found = re.search(word, text)
            if found and own_folder(name) != folder and name != REGISTRY:
                faults.append(f"{name}: mentions {found[0]}, which only {folder} and the registry may know")
    return faults


def public_headers(root):
    """A fault if there are too many public headers. Headers in detail folders are not counted, since users do not
    include them."""
    headers = [path for path in (root / "include").rglob("*.hpp") if "detail" not in path.parts]
    return [f"include: {len(headers)} headers beside detail folders, at most {MOST_HEADERS}"] if len(headers) > MOST_HEADERS else []


def check(root, known_crowded, known_includes):
    """All faults under the project root, one line each."""
    return crowded(root, known_crowded) + public_headers(root) + foreign_includes(root, known_includes) + foreign_names(root)


def self_test():
    """Plants one fault at a time in a small tree; returns the mistakes of the check."""
    entry = 'constexpr const char* own_name = "smc";\nclass SmcPlan {};\nauto smc_entry() {}\n'
    sound = {"src/algorithm/smc/entry.cpp": '#include "algorithm/smc/smc.hpp"\n#include "algorithm/plans/a.hpp"\n' + entry,
             REGISTRY: 'auto a = of_name("smc");\n', "src/app/run/a.cpp": '#include "algorithm/smc/known.hpp"\n// SmcPlan, "smc"\n',
             "src/app/run/c.hpp": '#include "algorithm/search/search.hpp"\n',
             "include/pearlite/a.hpp": "", "drivers/few/a.cpp": "", "drivers/few/b.cpp": ""}
    crowd = {f"src/app/crowd/{k}.cpp": "" for k in range(MOST_FILES + 1)}
    headers = {f"include/pearlite/{part}/{k}.hpp": "" for part in ("b", "b/detail", "c") for k in range((MOST_HEADERS + 1) // 2)}
    planted = [crowd, headers, {"drivers/few/c.cpp": ""}, {"drivers/few/b.cpp": None}, {"src/app/run/a.cpp": ""},
               {"src/app/run/b.cpp": '#include "algorithm/smc/smc.hpp"\n'}, {"src/app/run/b.cpp": "SmcPlan plan;\n"},
               {"src/app/run/b.hpp": "auto e = algorithm::smc_entry();\n"}, {"src/app/run/b.cpp": 'if (name == "smc")\n'},
               {"src/app/run/b.cpp": 'auto text = "default \\"smc\\"";\n'}, {"src/app/run/b.inl": "SmcPlan plan;\n"},
               {"src/algorithm/other/a.cpp": '#include "algorithm/smc/smc.hpp"\n'},
               {"src/algorithm/plans/a.cpp": '#include "algorithm/smc/smc.hpp"\n'}]
    mistakes = []
    for extra in [{}, *planted]:
        with tempfile.TemporaryDirectory() as name:
            tree = pathlib.Path(name)
            for path, text in {**sound, **extra}.items():
                if text is not None:
                    (tree / path).parent.mkdir(parents=True, exist_ok=True)
                    (tree / path).write_text(text)
            faults = check(tree, {"drivers/few": 2}, {"src/app/run": {"algorithm/smc/known.hpp"}})
            if len(faults) != (1 if extra else 0):
                mistakes.append(f"self-test of ownership: {list(extra) or 'sound tree'} gave {faults}")
    return mistakes
