"""A hook of MkDocs: the search index comes when somebody opens the search. Material's script would have every first page load and sort it.

Its feature search.highlight is off for the same reason: it loads the index on every page.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

AT_ONCE = re.compile(
    r'[\w$]+\([\w$]+\(location\.protocol!=="file:"\),([\w$]+\("search"\))\)'
)
"""merge(of(location.protocol !== "file:"), watchToggle("search")): the index comes with whichever is true first."""


def on_post_build(config: MkDocsConfig) -> None:
    """Leave the toggle alone in Material's script, as it has it for a site that is opened as a file. Raises PluginError for another script."""
    (bundle,) = Path(config["site_dir"], "assets", "javascripts").glob(
        "bundle.*.js"
    )
    script, found = AT_ONCE.subn(r"\1", bundle.read_text("utf-8"))
    if found != 1:
        raise PluginError(
            f"{bundle.name} loads the search index otherwise than this hook expects: once, at {AT_ONCE.pattern}; found {found} times. "
            "Adapt docs/overrides/search_on_demand.py to this version of Material, or take it out of mkdocs.yml."
        )
    bundle.write_text(script, "utf-8")
