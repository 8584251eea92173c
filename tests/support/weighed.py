"""How many bytes the pages of a site are, as the browser counts them on the network."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opened_site import Opened


@dataclass
class Weighed:
    """What pages asked for. page: which one asks now. asked: addresses, by page. bytes: by address, heads and bodies."""

    page: str = ""
    asked: dict[str, set[str]] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)

    def of(self, page: str, after: str | None = None) -> int:
        """Return the bytes that a page needs; after: those that a reader of that other page has are not counted."""
        had = self.asked[after] if after is not None else set()
        return sum(self.bytes.get(address, 0) for address in self.asked[page] - had)


@contextmanager
def weigh(opened: Opened) -> Iterator[Weighed]:
    """Count what comes over the network in a window, for as long as the block runs; what the cache has counts as it first came."""
    weighed = Weighed()
    addresses: dict[str, str] = {}

    def sent(event: dict[str, Any]) -> None:
        addresses[event["requestId"]] = event["request"]["url"]
        weighed.asked.setdefault(weighed.page, set()).add(event["request"]["url"])

    def finished(event: dict[str, Any]) -> None:
        address = addresses[event["requestId"]]
        weighed.bytes[address] = max(int(event["encodedDataLength"]), weighed.bytes.get(address, 0))

    session = opened.page.context.new_cdp_session(opened.page)
    session.on("Network.requestWillBeSent", sent)
    session.on("Network.loadingFinished", finished)
    session.send("Network.enable")
    yield weighed
    session.detach()
