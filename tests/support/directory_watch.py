"""Events in a directory with their times, as the kernel reports them (inotify), without polling."""

import ctypes
import os
import select
import struct
import time
import typing

CREATED, MOVED_HERE, MOVED_AWAY, REMOVED = 0x100, 0x80, 0x40, 0x200
_HEAD = struct.Struct("iIII")
_LIBRARY = ctypes.CDLL(None, use_errno=True)


class Event(typing.NamedTuple):
    """A name that appeared in the directory or left it."""

    seconds: float  # of time.time(), when it was read
    what: int
    name: str


class DirectoryWatch:
    """The events of a directory since the watch began, in `events`."""

    def __init__(self, directory):
        self.events = []
        self._descriptor = _LIBRARY.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        mask = CREATED | MOVED_HERE | MOVED_AWAY | REMOVED
        if self._descriptor < 0 or _LIBRARY.inotify_add_watch(self._descriptor, os.fsencode(directory), mask) < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(directory))

    def wait(self, seconds):
        """Waits for events, at most `seconds`; returns the new ones."""
        if not select.select([self._descriptor], [], [], max(0, seconds))[0]:
            return []
        data, now, new = os.read(self._descriptor, 1 << 16), time.time(), []
        while data:
            _, what, _, length = _HEAD.unpack_from(data)
            name = data[_HEAD.size:_HEAD.size + length].rstrip(b"\0").decode()
            data = data[_HEAD.size + length:]
            new.append(Event(now, what & 0x3c0, name))
        self.events += new
        return new

    def wait_for(self, condition, seconds, goes_on=lambda: True):
        """The first new event for which condition(event) holds; None if the time is over or goes_on() is false."""
        deadline = time.monotonic() + seconds
        while goes_on() and (left := deadline - time.monotonic()) > 0:
            for event in self.wait(min(left, 0.2)):
                if condition(event):
                    return event
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)
