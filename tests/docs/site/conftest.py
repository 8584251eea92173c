"""The whole site, built once for the session, and a browser whose pages remember what went wrong."""

from collections.abc import Iterator
from typing import Literal

import pytest
from built_site import Site, build_site, free_port, served
from opened_site import Open, Opened, remember
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
    """The site as an instructor publishes it: no solution stands on it. It is not served."""
    folder, address = tmp_path_factory.mktemp("class_site"), "https://course.example/"
    build_site(folder, address, SOLUTIONS="false")
    return Site(folder, address)


@pytest.fixture(scope="module")
def open_site(site: Site, browser: Browser) -> Iterator[Open]:
    """Open a new window: open_site("lectures/scaling/", width=375, scheme="dark", scripts=False, permissions=[…])."""
    contexts = []

    def run(
        path: str = "",
        *,
        width: int = 1280,
        scheme: Literal["light", "dark"] = "light",
        scripts: bool = True,
        permissions: tuple[str, ...] = (),
    ) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=scripts,
            permissions=permissions,
        )
        contexts.append(context)
        opened = Opened(context.new_page(), site)
        remember(opened)
        opened.visit(path)
        return opened

    yield run
    for context in contexts:
        context.close()
