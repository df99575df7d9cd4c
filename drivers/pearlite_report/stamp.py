"""The stamp of a Pearlite container: its first 512 bytes, which prove the rest of the file whole.

It is checked before HDF5 sees the file, because HDF5 may crash on damaged metadata.
"""

import hashlib
import re

STAMP_BYTES = 512
PIECE_BYTES = 4 << 20
CONTAINER_SCHEMA = 1
_MAGIC = "pearlite container\n"
_LINES = re.compile(_MAGIC + r"schema (\d+)\nkind ([a-z]{1,32})\nbytes (\d+)\nsha256 ([0-9a-f]{64})\ncomplete\n+")


class StampError(Exception):
    """The file is not a whole container of the expected kind; the message says why, without the file's name."""


def verify(path, kind):
    """Reads the whole file once. StampError if it is not an undamaged container of this kind, OSError if unreadable."""
    with open(path, "rb") as file:
        text = file.read(STAMP_BYTES).decode("latin-1")
        if not text.startswith(_MAGIC):
            raise StampError("not a Pearlite container" if text else "empty")
        size = file.seek(0, 2)
        found = _LINES.fullmatch(text)
        if len(text) < STAMP_BYTES or found is None:
            raise StampError("damaged: its stamp is not readable")
        schema, found_kind, bytes_meant = int(found[1]), found[2], int(found[3])
        if schema != CONTAINER_SCHEMA:
            raise StampError(f"a container of schema {schema}, this program reads schema {CONTAINER_SCHEMA}")
        if found_kind != kind:
            raise StampError(f"of kind {found_kind}, not {kind}")
        if size != bytes_meant:
            raise StampError(f"{'cut short' if size < bytes_meant else 'damaged'}: {size} bytes, not {bytes_meant}")
        if checksum(file, text[: found.start(4)].removesuffix("sha256 ")) != found[4]:
            raise StampError("damaged: its checksum differs")


def checksum(file, lines):
    """SHA-256 over the stamp's lines before the checksum and the SHA-256 of each piece of the rest, in hexadecimal."""
    whole = hashlib.sha256(lines.encode("ascii"))
    file.seek(STAMP_BYTES)
    while piece := file.read(PIECE_BYTES):
        whole.update(hashlib.sha256(piece).digest())
    return whole.hexdigest()
