"""The whole site, built once for the session, and windows of a browser that remember what went wrong."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from built_site import Site, build_site, free_port, served
from opened_site import Open, Opened, Reader, opened_by
from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site with its solutions, built and served."""
    folder, port = tmp_path_factory.mktemp("site"), free_port()
    address = f"http://127.0.0.1:{port}/"
    build_site(folder, address)
    with served(folder, port):
        yield Site(folder, address)


@pytest.fixture(scope="session")
def class_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site as an instructor publishes it: no solution stands on it, and no page for instructors. It is not served."""
    folder, address = tmp_path_factory.mktemp("class_site"), "https://course.example/"
    build_site(folder, address, SOLUTIONS="false", INSTRUCTORS="false")
    return Site(folder, address)


@pytest.fixture(scope="package")
def windows(site: Site, browser: Browser) -> Iterator[Callable[[Reader], Opened]]:
    """Return the window of a reader, which is opened when it is first asked for."""
    opened: dict[Reader, Opened] = {}
    with ExitStack() as until_the_end:

        def window(reader: Reader) -> Opened:
            if reader not in opened:
                opened[reader] = until_the_end.enter_context(opened_by(reader, browser, site))
            return opened[reader]

        yield window


@pytest.fixture
def open_site(windows: Callable[[Reader], Opened]) -> Iterator[Open]:
    """Go to a page: open_site("lectures/scaling/", width=375, scheme="dark", scripts=False).

    Readers of one kind share a window, with what it has in its cache and has kept, as a person does.
    """
    used: list[Opened] = []

    def run(path: str = "", **reader: object) -> Opened:
        used.append(windows(Reader(**reader)))  # type: ignore[arg-type]
        used[-1].complaints.clear()
        used[-1].visit(path)
        return used[-1]

    yield run
    for opened in used:
        opened.page.goto("about:blank")


@pytest.fixture
def first_visit(site: Site, browser: Browser) -> Iterator[Opened]:
    """A window of a reader who has not been on the site before."""
    with opened_by(Reader(), browser, site) as opened:
        yield opened
