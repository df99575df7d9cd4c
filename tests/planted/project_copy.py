"""The copy of the project that faults are planted in: a git worktree at build/planted/source, and its build.

Beside the build is a copy of it as it was without faults. After each fault the sources and what was built of them go
back to that state with their times, so that nothing is compiled again for the next one.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from build_outputs import outputs_of

FIXED_TIME = 1_000_000_000_000_000_000  # of all sources without faults: older than whatever is built of them


class BuildFailed(Exception):
    """The compiler or the linker has refused."""


def checked(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-2000:]}\n"
                         f"{done.stderr[-2000:]}")
    return done.stdout


def entries_of(root):
    """{path below root: (size or target of a link, time)} of all files; directories are None."""
    found, folders = {}, [""]
    while folders:
        folder = folders.pop()
        with os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                path = os.path.join(folder, entry.name)
                if entry.is_symlink():
                    found[path] = (os.readlink(entry.path), 0)
                elif entry.is_dir():
                    found[path] = None
                    folders.append(path)
                else:
                    status = entry.stat()
                    found[path] = (status.st_size, status.st_mtime_ns)
    return found


def mirror(source, target):
    """Makes `target` the same tree of files as `source`; files of the same size and time are taken for the same."""
    os.makedirs(target, exist_ok=True)
    wanted, present = entries_of(source), entries_of(target)
    for path in sorted(set(present) - set(wanted), reverse=True):
        place = os.path.join(target, path)
        if present[path] is None:
            os.rmdir(place)
        else:
            os.remove(place)
    for path in sorted(wanted):
        place = os.path.join(target, path)
        if path in present and present[path] == wanted[path]:
            continue
        if wanted[path] is None:
            os.makedirs(place, exist_ok=True)
            continue
        if os.path.lexists(place):
            os.remove(place)
        shutil.copy2(os.path.join(source, path), place, follow_symlinks=False)


class Sources:
    """A git worktree whose files all have the same time, but for those with a fault."""

    def __init__(self, project, place):
        self.project, self.place = pathlib.Path(project), pathlib.Path(place)

    def make(self):
        if not (self.place / ".git").exists():
            checked(["git", "-C", self.project, "worktree", "prune"])
            checked(["git", "-C", self.project, "worktree", "add", "--detach", "--force", self.place, "HEAD"])
            self.restore(all_files=True)

    def move_to_head(self):
        """The files that change are newer than what was built of them; the others stay as old as they were."""
        head, before = checked(["git", "-C", self.project, "rev-parse", "HEAD"]).strip(), self.revision()
        checked(["git", "-C", self.place, "checkout", "--force", "--detach", head])
        self.restore(all_files=True)
        for name in checked(["git", "-C", self.place, "diff", "--name-only", "-z", before, head]).split("\0")[:-1]:
            if (self.place / name).exists():
                os.utime(self.place / name)

    def revision(self):
        return checked(["git", "-C", self.place, "rev-parse", "HEAD"]).strip()

    def restore(self, all_files=False):
        """Undoes whatever was changed. Ignored files stay (the worktree has none but what tests leave)."""
        changed = checked(["git", "-C", self.place, "diff", "--name-only", "-z", "HEAD"]).split("\0")[:-1]
        checked(["git", "-C", self.place, "checkout", "--force", "HEAD", "--", "."])
        checked(["git", "-C", self.place, "clean", "-fdq"])
        if all_files:
            changed = checked(["git", "-C", self.place, "ls-files", "-z"]).split("\0")[:-1]
        for name in changed:
            os.utime(self.place / name, ns=(FIXED_TIME, FIXED_TIME), follow_symlinks=False)

    def apply(self, fault):
        file = self.place / fault.file
        file.write_text(fault.applied_to(file.read_text(encoding="utf-8")), encoding="utf-8")


class Build:
    """The build of a source tree, configured like the preset ci but without warnings as errors."""

    def __init__(self, source, place, clean, jobs):
        self.source, self.place, self.clean, self.jobs = source, pathlib.Path(place), pathlib.Path(clean), jobs
        self._outputs = self._readers = None
        self._inputs = {}

    def make(self, target="all", log=print):
        """Builds a target without faults, and keeps a copy. One that has been built is not built again."""
        done = self.clean / f"{target}.built"
        if done.exists() or (self.clean / "all.built").exists():
            return
        if self.clean.exists():
            self.restore()
        log(f"building {target} without faults")
        checked(["cmake", "-S", self.source, "-B", self.place, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_UNITY_BUILD=ON", "-DPEARLITE_WARNINGS_AS_ERRORS=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])
        try:
            self.build([target])
        except BuildFailed as failure:
            raise SystemExit(f"the sources without faults do not build:\n{failure}") from failure
        checked(["ctest", "--show-only=json-v1"], cwd=self.place)  # whatever it writes is part of the copy
        (self.place / done.name).touch()
        part = self.clean.with_name(self.clean.name + ".part")
        mirror(self.place, part)
        if self.clean.exists():
            shutil.rmtree(self.clean)
        part.rename(self.clean)

    def restore(self):
        mirror(self.clean, self.place)

    def is_made(self):
        return self.clean.exists()

    def forget(self):
        """Builds anew at the next make(), from what is there."""
        if self.clean.exists():
            self.restore()
            shutil.rmtree(self.clean)

    def build(self, outputs):
        """Seconds that it took. BuildFailed with the last lines of the compiler."""
        began = time.monotonic()
        command = ["cmake", "--build", str(self.place), "--parallel", str(self.jobs), "--target", *outputs]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              check=False)
        if done.returncode:
            raise BuildFailed(done.stdout[-3000:])
        return time.monotonic() - began

    def _ask(self, *arguments):
        return checked(["ninja", "-t", *arguments], cwd=self.place, errors="replace")

    def outputs(self):
        """All files that the build makes, relative to it."""
        if self._outputs is None:
            self._outputs = outputs_of(self.place)
        return self._outputs

    def sources_reading(self, file):
        """The compiled sources, of the project or made by CMake, that read a file."""
        if self._readers is None:
            self._readers = readers_of(self._ask("deps"), self.source, self.place)
        return self._readers.get(file, set()) | {str(self.source / file)}

    def depend(self, outputs, file):
        """Whether what a test needs is made of this file."""
        if "all" in outputs:
            return True
        readers = self.sources_reading(file)
        for output in outputs:
            if output not in self._inputs:
                self._inputs[output] = set(self._ask("inputs", output).splitlines())
            if any(os.path.join(self.place, line) in readers for line in self._inputs[output]):
                return True
        return False


def readers_of(deps, source, build):
    """{file of the project: sources that read it}, of what `ninja -t deps` prints: objects, then what each was made of,
    the compiled source first."""
    readers, compiled = {}, None
    inside = re.compile(re.escape(str(source)) + "/(.*)")
    for line in deps.splitlines():
        if not line.startswith(" "):
            compiled = None
            continue
        path = os.path.normpath(os.path.join(build, line.strip()))
        compiled = compiled or path
        match = inside.match(path)
        if match:
            readers.setdefault(match.group(1), set()).add(compiled)
    return readers
