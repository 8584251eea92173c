"""A hook of MkDocs: the course's stylesheets come as one file. A browser paints nothing before the last of them is there."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

WHOLE = "stylesheets/whole.css"
"""In the folder of the others, so that what they load is where they look for it."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put one stylesheet in the place of those in docs/; a plugin's own stays as it is."""
    sheets = [
        sheet
        for path in config.extra_css
        if (sheet := files.get_file_from_path(path))
    ]
    own = {sheet.src_uri for sheet in sheets}
    content = "".join(sheet.content_string for sheet in sheets)
    for sheet in sheets:
        files.remove(sheet)
    files.append(File.generated(config, WHOLE, content=content))
    others = [path for path in config.extra_css if path not in own]
    config.extra_css = [*others, WHOLE]
    return files
