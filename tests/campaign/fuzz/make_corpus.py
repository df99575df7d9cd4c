"""Writes the valid binary inputs of the fuzz campaign into corpus/, beside this file. They are committed; the text
files there are written by hand."""

import gzip
import pathlib
import struct
import zlib

import h5py
import numpy

CORPUS = pathlib.Path(__file__).parent / "corpus"


def write(name, content):
    file = CORPUS / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def write_h5(name, datasets, **options):
    """An HDF5 file with these datasets, in groups if their names have a slash."""
    file = CORPUS / name
    file.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(file, "w") as out:
        for path, values in datasets.items():
            out.create_dataset(path, data=values, track_times=False, **options)


def idx(images):
    """Images, each a list of rows, in MNIST's format."""
    header = struct.pack(">4i", 2051, len(images), len(images[0]), len(images[0][0]))
    return header + bytes(level for image in images for row in image for level in row)


def png(width, rows, bits=8, colour=0, chunks=()):
    """An image whose rows are bytes; `colour` is the format's number for grey levels (0), a palette (3), grey and alpha
    (4), ..., and `chunks` stand before the pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    header = struct.pack(">2I5B", width, len(rows), bits, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        chunk(*each) for each in [(b"IHDR", header), *chunks, (b"IDAT", lines), (b"IEND", b"")])


def main():
    images = [[[0, 255, 128], [7, 0, 255]], [[255, 0, 3], [0, 0, 200]], [[0, 0, 0], [255, 255, 9]]]
    binary = [[[level // 128 for level in row] for row in image] for image in images]
    write("idx/grey", idx(images))
    write("idx/grey.gz", gzip.compress(idx(images), mtime=0))
    write("idx/binary", idx(binary))

    write("images/raw.pgm", b"P5\n# a comment\n4 2\n255\n" + bytes([0, 255, 255, 0, 255, 0, 0, 255]))
    write("images/raw16.pgm", b"P5\n2 2\n65535\n" + bytes([0, 0, 255, 255, 255, 255, 0, 0]))
    write("images/raw.pbm", b"P4\n10 2\n" + bytes([0b10110010, 0b01000000, 0b00001111, 0b10000000]))
    write("images/plain.pgm", b"P2\n3 2\n# black and white\n9\n0 9 9\n9 0 0\n")
    write("images/plain.pbm", b"P1\n4 3\n0110\n1001\n0 1 1 0\n")
    for folder in ("images", "png"):
        write(f"{folder}/grey.png", png(3, [[0, 255, 255], [255, 0, 255]]))
    white, black = [255] * 3, [0] * 3
    two_colours = [(b"gAMA", struct.pack(">I", 45455)), (b"PLTE", bytes(white + black)), (b"tRNS", bytes([255, 255]))]
    write("png/palette.png", png(10, [[0b10110010, 0b01000000], [0b00001111, 0b10000000]], 1, 3, two_colours))
    white, black = [255] * 4, [0, 0, 255, 255]
    write("png/grey-alpha16.png", png(2, [black + white, white + black], 16, 4))
    potentials, counts = numpy.array([[0.5, 1.5, 2], [1, 0, 2.5]]), numpy.array([2, 1])
    for name, save in (("stored", numpy.savez), ("deflated", numpy.savez_compressed)):
        file = CORPUS / f"npz/{name}.npz"
        file.parent.mkdir(exist_ok=True)
        save(file, u_kn=potentials, N_k=counts)
    write("images/text.txt", b"3 4\n0 1 1 0\n1 0 0 1\n1 1 0 0\n")

    weights, visible, hidden = [[0.5, -1.25], [1.0, 0.0], [-0.75, 2.0]], [0.1, -0.2, 0.3], [1.0, -1.0]
    flat = [weight for row in weights for weight in row]
    write("rbm-f64/small.f64", struct.pack("<2q11d", 3, 2, *flat, *visible, *hidden))
    machine = {"weights": weights, "visible_bias": visible, "hidden_bias": hidden}
    write_h5("rbm-h5/small.h5", machine)
    flattened = [[level for row in image for level in row] for image in images]
    write_h5("hdf5/images.h5", {"images": images})
    write_h5("hdf5/rows.h5", {"images": [[level / 255 for level in image] for image in flattened]}, compression="gzip")
    points = {"train/data": [[0.1, 0.2], [0.7, 0.4], [0.3, 0.9], [0.6, 0.5]], "train/target": [0.0, 1.0, 0.0, 1.0],
              "test/data": [[0.2, 0.2], [0.8, 0.1]], "test/target": [1.0, 0.0]}
    write_h5("data-classes-h5/points.h5", points)


if __name__ == "__main__":
    main()
