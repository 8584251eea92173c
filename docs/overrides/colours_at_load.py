"""A hook of MkDocs: a page sets its colours as it loads without a rule of the theme's for every element.

Meanwhile the theme marks the body, and a rule for every element below it switches transitions off. For that rule browsers
compute the styles of the whole page twice more, a third of what they compute of a long one. Without it colours fade where a
reader changes them.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

RULE = re.compile(r"\[data-md-color-switching\][^}]*\}")


def on_post_build(config: MkDocsConfig) -> None:
    """Take the rule out of the theme's stylesheet. Raises PluginError if it is not there."""
    for sheet in Path(config["site_dir"]).glob("assets/stylesheets/palette.*.css"):
        content, found = RULE.subn("", sheet.read_text("utf-8"))
        if not found:
            raise PluginError(
                f"{sheet.name} has no rule for [data-md-color-switching]: leave this hook out of mkdocs.yml."
            )
        sheet.write_text(content, "utf-8")
