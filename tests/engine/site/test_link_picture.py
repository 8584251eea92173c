"""The picture of a page shows its title, whatever it is, and a heat map."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from autograder.site.link_picture import CELL, GROUND, HEIGHT, LETTERS, MAP, MARGIN, TITLE, WIDTH, link_picture

TITLE_AREA = np.s_[150:480, MARGIN : MARGIN + LETTERS]
MAP_AREA = np.s_[(HEIGHT - MAP) // 2 : (HEIGHT + MAP) // 2, WIDTH - MARGIN - MAP : WIDTH - MARGIN]
NOTHING = np.zeros((2, 2))


def pixels(png: bytes) -> NDArray[np.uint8]:
    """Return a PNG of one chunk of data and no filter as (rows, columns, 3)."""
    width, height = struct.unpack(">II", png[16:24])
    (length,) = struct.unpack(">I", png[33:37])
    rows = np.frombuffer(zlib.decompress(png[41 : 41 + length]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_the_title_is_written_on_the_ground() -> None:
    area = pixels(link_picture("Scores", "", "", NOTHING))[TITLE_AREA]

    assert (area == TITLE).all(axis=2).mean() > 0.02
    assert (area == GROUND).all(axis=2).mean() > 0.5


def test_a_share_of_one_has_the_full_colour_and_rows_run_downwards() -> None:
    image = pixels(link_picture("", "", "", np.array([[0.0, 0.5], [1.0, 0.0]])))[MAP_AREA]

    assert image[-1, 0].tolist() == CELL.tolist()
    assert len(np.unique(image.reshape(-1, 3), axis=0)) == 3
    assert (image[0, 0] == image[-1, -1]).all()
