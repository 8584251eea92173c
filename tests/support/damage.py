"""Bytes as a stranger may send them: valid ones that were cut, flipped, nested, repeated, or that name something huge."""

import re
from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

ALWAYS = settings(
    max_examples=8,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[*HealthCheck],
    print_blob=True,
)
"""A few ways of damage, the same in each run."""

AT_LENGTH = settings(ALWAYS, max_examples=300, derandomize=False)
"""Hundreds of ways, others each time."""

LONGEST = 1 << 20

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|\btrue\b|\bfalse\b|\bnull\b|\[\]|\{\}')
"""A value of JSON or TOML, or a number in a table."""

ODD = (
    *(b"null", b"true", b"-1", b"0", b"1.5", b"NaN", b"1e999", b"9" * 30, b"9" * 400, b"9" * 5_000, b"1" * 100_000),
    *(b'""', b'"../../x"', b'"\\u0000\\u001b[2J"', b'"\\ud800"', b'"nan"', b'"' + b"x" * 100_000 + b'"'),
    *(b"[]", b"{}", b"[[]]", b"[null]", b'[""]', b'{"":{}}', b"[1,2,3,4,5,6,7]", b"1979-05-27T07:32:00Z"),
    *(b"[" + b"[]," * 50_000 + b"1]", b"[" + b'{"":1},' * 50_000 + b"1]", b"[" + b"1e9," * 50_000 + b"1]"),
    b"{" + b"".join(b'"%d":1,' % number for number in range(50_000)) + b'"":1}',
)
OPENING = (
    b"[",
    b"{",
    b'{"":',
    b'[{"":',
    b"(",
    b"-",
    b"a.",
    b"not ",
    b"1+",
    b"if 1:\n ",
    b"x[",
    b'"',
    b"\\",
    b"lambda:",
    b"f(",
)
HUGE = (2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1, 0)

Draw = Callable[..., int]


def _cut(draw: Draw, content: bytes) -> bytes:
    return content[: _place(draw, content)]


def _flip(draw: Draw, content: bytes) -> bytes:
    place = _place(draw, content)
    return (
        content[:place]
        + bytes(byte ^ draw(st.integers(1, 255)) for byte in content[place : place + 1])
        + content[place + 1 :]
    )


def _leave_out(draw: Draw, content: bytes) -> bytes:
    place = _place(draw, content)
    return content[:place] + content[place + draw(st.integers(1, 64)) :]


def _move(draw: Draw, content: bytes) -> bytes:
    """Put a piece elsewhere, once or so often that it is long."""
    place, size = _place(draw, content), draw(st.integers(1, 256))
    piece = content[place : place + size]
    times = draw(st.sampled_from((1, 2, 100, LONGEST))) if piece else 0
    target = _place(draw, content)
    return content[:target] + piece * min(times, LONGEST // max(len(piece), 1)) + content[target:]


def _nest(draw: Draw, content: bytes) -> bytes:
    place = _place(draw, content)
    return content[:place] + draw(st.sampled_from(OPENING)) * draw(st.sampled_from((2, 300, 20_000))) + content[place:]


def _other_value(draw: Draw, content: bytes) -> bytes:
    found = [match.span() for match in TOKEN.finditer(content)]
    if not found:
        return content
    first, last = found[draw(st.integers(0, len(found) - 1))]
    return content[:first] + draw(st.sampled_from(ODD)) + content[last:]


def _huge_number(draw: Draw, content: bytes) -> bytes:
    """Write a number of another size over some bytes."""
    place, width = _place(draw, content), draw(st.sampled_from((2, 4, 8)))
    number = draw(st.sampled_from(HUGE)) % (1 << 8 * width)
    return content[:place] + number.to_bytes(width, "little") + content[place + width :]


def _place(draw: Draw, content: bytes) -> int:
    return draw(st.integers(0, len(content)))


WAYS = (_cut, _flip, _leave_out, _move, _nest, _other_value, _other_value, _huge_number)


@st.composite
def damaged(draw: Draw, valid: bytes) -> bytes:
    """Draw what has become of valid bytes; sometimes nothing, sometimes any bytes are drawn in their place."""
    content = draw(st.binary(max_size=100)) if draw(st.integers(0, 19)) == 0 else valid
    for _ in range(draw(st.integers(0, 3))):
        content = draw(st.sampled_from(WAYS))(draw, content)
    return content
