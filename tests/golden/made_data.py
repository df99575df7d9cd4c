"""The data of those rows of the golden table that are no shipped jobs."""

import random
import struct


def write_table(path, names, rows):
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *rows] if row) + "\n", encoding="utf-8")


def make_data(directory):
    """The data of pairs and variants. Whole numbers of hundredths, so that they are the same everywhere."""
    numbers = random.Random(7)

    def some(low, high):
        return numbers.randrange(round(100 * low), round(100 * high)) / 100

    densities = [some(18, 40) for _ in range(20)]
    write_table(directory / "pine.csv", ["y", "x", "z"],
                [[round(180 * (x + some(-3, 3)), 2), x, round(x - some(0, 4), 2)] for x in densities])
    write_table(directory / "logistic.csv", ["y", "a", "b"],
                [[numbers.randrange(2), some(-2, 2), some(-2, 2)] for _ in range(30)])
    write_table(directory / "mixed.csv", ["subject", "y", "a"],
                [[subject, numbers.randrange(2), some(-1, 1)] for subject in range(8) for _ in range(4)])
    write_table(directory / "returns.csv", ["y"], [[some(-2, 2)] for _ in range(25)])
    write_table(directory / "modes.csv", ["mu1", "mu2"], [[some(0, 10), some(0, 10)] for _ in range(6)])
    table = []
    for _ in range(60):
        a, c = numbers.randrange(2), numbers.randrange(3)
        b = a if numbers.random() < 0.8 else 1 - a
        table.append([a, b, c, (a + c) % 3, numbers.randrange(2)])
    write_table(directory / "table.csv", [], table)
    pixels = [" ".join("1" if (x - 9) ** 2 + (y - 7) ** 2 < 40 else "0" for x in range(20)) for y in range(15)]
    (directory / "image.pbm").write_text("P1\n20 15\n" + "\n".join(pixels) + "\n", encoding="utf-8")
    write_table(directory / "images.csv", [],
                [[1 if (x + shift) % 4 < 2 or numbers.random() < 0.1 else 0 for x in range(20)]
                 for shift in (numbers.randrange(4) for _ in range(250))])
    grey = bytes(numbers.randrange(256) for _ in range(30 * 20))
    (directory / "images.idx").write_bytes(struct.pack(">4i", 2051, 30, 4, 5) + grey)
