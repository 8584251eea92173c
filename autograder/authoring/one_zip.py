"""Files as one zip: the same bytes of the same files, whenever it is made."""

import io
import zipfile
from collections.abc import Container, Mapping

EPOCH = (1980, 1, 1, 0, 0, 0)


def zipped(files: Mapping[str, bytes], executable: Container[str] = ()) -> bytes:
    """Return the content of a zip of files by path. executable: the paths of those that are programs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, EPOCH)
            member.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
