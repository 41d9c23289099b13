"""Word documents with macros, and templates: documents but for the type that their package states."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

_TYPES = "[Content_Types].xml"
_DOCUMENT = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_LIKEWISE = (
    b"application/vnd.ms-word.document.macroEnabled.main+xml",
    b"application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    b"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
)


def as_document(archive: ZipFile, data: bytes) -> bytes:
    """The bytes `data` of `archive`; stating the plain type, the only one that the library opens, where it differs."""
    if _TYPES not in archive.namelist():
        return data
    types = archive.read(_TYPES)
    if not any(kind in types for kind in _LIKEWISE):
        return data
    for kind in _LIKEWISE:
        types = types.replace(kind, _DOCUMENT)
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as written:
        for name in archive.namelist():
            written.writestr(name, types if name == _TYPES else archive.read(name))
    return out.getvalue()
