# Lies beside every hostile submission: where the canaries are, and what a break-in is. The test puts PLACES before it.
import ctypes
import gc
import socket


class Breach(Exception):
    """The sandbox let something through."""


def must_fail(*attempts):
    """Try each (what, function, arguments...) and raise Breach for the first that works."""
    for what, attempt, *arguments in attempts:
        try:
            got = attempt(*arguments)
        except Exception:
            continue
        raise Breach(f"{what}: {str(got)[:200]}")


def syscall(number, *arguments):
    """Make a system call by its number; raise OSError where it is refused."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = libc.syscall(ctypes.c_long(number), *given)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def wire():
    """Return the socket that leads to the grader."""
    return next(thing for thing in gc.get_objects() if isinstance(thing, socket.socket))


def frame(body):
    return len(body).to_bytes(4, "little") + body


def reply(kind, arrays=(), **fields):
    """Return a forged reply: its fields as plain data, and the dtype, shape and bytes of each array."""
    from msgspec.msgpack import encode

    return frame(encode([arrays, encode({"type": kind, **fields})]))


def answers(data, arrays=()):
    return reply("Answered", arrays, answers=data)


def cases_of(step):
    """Return the paths of the cases of a step, which lie in the memory of this process."""
    from autograder.exam.model import PaperCase

    return [thing.path for thing in gc.get_objects() if isinstance(thing, PaperCase) and thing.step == step]
