"""The browser of the tests that follow one another here."""

from collections.abc import Iterator

import pytest
from chromium import chromium
from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Not for the whole session: while Playwright runs, no other test of the process can use asyncio."""
    with chromium() as opened:
        yield opened
