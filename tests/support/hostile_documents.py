"""PDF files, pages, messages and notebooks that run in circles, lie about their sizes or never end."""

import base64
import json
import zlib
from typing import Any

from tests.support.hostile_archives import ARTICLE, archives
from tests.support.hostile_texts import TEXTS
from tests.support.mixed_files import FORMATS, unreadable

_SHARES = (0.02, 0.4, 0.95)
_MAIL = b"From: a@example.org\nTo: b@example.org\nSubject: parts\nDate: Mon, 05 Jan 2026 10:00:00 +0100\n"


def _pdf(objects: dict[int, bytes], trailer: bytes = b"/Root 1 0 R") -> bytes:
    """A file of these objects, without a table: a reader must look for them."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, data) for number, data in objects.items())
    return b"%PDF-1.7\n" + body + b"trailer << " + trailer + b" >>\nstartxref\n0\n%%EOF"


def _stream(data: bytes, more: bytes = b"", length: int | None = None) -> bytes:
    size = len(data) if length is None else length
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (size, more, data)


def _page_with(content: bytes, more: dict[int, bytes] | None = None) -> bytes:
    return _pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
            b" /Resources << /XObject << /X 5 0 R >> /Font << /F << /Type /Font /Subtype /Type1"
            b" /BaseFont /Helvetica >> >> >> >>",
            4: content,
            **(more or {}),
        }
    )


def _pdfs() -> dict[str, bytes]:
    catalog = b"<< /Type /Catalog /Pages 2 0 R >>"
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>"
    words = b"BT /F 10 Tf 72 700 Td (words) Tj ET\n"
    return {
        "pages-of-itself.pdf": _pdf({1: catalog, 2: b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"}),
        "pages-in-a-circle.pdf": _pdf(
            {
                1: catalog,
                2: b"<< /Type /Pages /Kids [3 0 R] /Count 9 >>",
                3: b"<< /Type /Pages /Kids [2 0 R] /Parent 2 0 R /Count 9 >>",
            }
        ),
        "pages-counted-wrong.pdf": _pdf({1: catalog, 2: b"<< /Type /Pages /Kids [] /Count 2147483647 >>"}),
        "pages-below-none.pdf": _pdf({1: catalog, 2: b"<< /Type /Pages /Kids [] /Count -1 >>"}),
        "form-in-itself.pdf": _page_with(_stream(b"/X Do"), {5: _stream(b"/X Do " * 100, form)}),
        "form-many-times.pdf": _page_with(_stream(b"/X Do\n" * 10_000), {5: _stream(words, form)}),
        "inflates.pdf": _page_with(_stream(zlib.compress(bytes(60 * 2**20)), b"/Filter /FlateDecode")),
        "length-too-long.pdf": _page_with(_stream(words, length=2**31 - 1)),
        "length-below-none.pdf": _page_with(_stream(words, length=-5)),
        "filters.pdf": _page_with(_stream(words, b"/Filter [" + b"/ASCIIHexDecode " * 5_000 + b"]")),
        "states.pdf": _page_with(_stream(b"q " * 300_000 + words)),
        "arrays.pdf": _pdf({1: b"[" * 100_000 + b"]" * 100_000}),
        "many-pages.pdf": _pdf(
            {
                1: catalog,
                2: b"<< /Type /Pages /Count 20000 /Kids [" + b"3 0 R " * 20_000 + b"] >>",
                3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
                4: _stream(words),
            }
        ),
        "table-of-itself.pdf": b"%PDF-1.7\nxref\n0 1\n0 65535 f \ntrailer << /Root 1 0 R /Prev 9 >>\n"
        b"startxref\n9\n%%EOF",
        "only-header.pdf": b"%PDF-1.7\n",
        "script.pdf": _pdf({1: b"<< /Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>"}),
    }


def _pages() -> dict[str, bytes]:
    start = b"<!doctype html><html><head><title>Odd</title></head><body>"
    return {
        "deep.html": start + b"<div>" * 50_000 + b"words",
        "deep-inline.html": start + b"<b><i>" * 20_000 + b"words",
        "tables.html": start + b"<table><tr><td>" * 2_000 + b"words",
        "lists.html": start + b"<ul><li>" * 5_000 + b"words",
        "attributes.html": start + b"<p " + b" ".join(b"a%d=1" % n for n in range(50_000)) + b">words",
        "attribute.html": start + b'<p title="' + b"x" * 2**20 + b'">words',
        "entities.html": start + b"&notit;&#x110000;&#0;&#xd800;" * 10_000 + b"words",
        "charset-lies.html": start.replace(b"<head>", b"<head><meta charset=utf-16>") + b"words",
        "charset-unknown.html": start.replace(b"<head>", b"<head><meta charset=klingon>") + b"words",
        "base.html": start.replace(b"<head>", b'<head><base href="http://[::1">') + b'<a href="//[x">words</a>',
        "comment.html": start + b"<!--" + b"-" * 500_000 + b"words",
        "script.html": start + b"<script>" + b"a" * 500_000 + b"words",
        "nul.html": start + b"wo\x00rds" * 1_000,
        "image.html": start + b'<img src="data:image/png;base64,' + base64.b64encode(bytes(500_000)) + b'">words',
        "templates.html": start + b"<template><svg><math>" * 3_000 + b"words",
        "empty-anchors.html": start + b"<a id=a>" * 30_000 + b"words",
    }


def _messages() -> dict[str, bytes]:
    mixed = _MAIL + b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
    nested = b"the innermost words\n"
    for level in range(300):
        nested = b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n%s\n--b%d--\n' % (
            level,
            level,
            nested,
            level,
        )
    forwarded = _MAIL + b"\nthe innermost words"
    for _ in range(200):
        forwarded = _MAIL + b"Content-Type: message/rfc822\n\n" + forwarded
    return {
        "parts.eml": mixed + b"--b\nContent-Type: text/plain\n\nwords\n" * 10_000 + b"--b--\n",
        "nested.eml": _MAIL + b"MIME-Version: 1.0\n" + nested,
        "forwarded.eml": forwarded,
        "no-boundary.eml": _MAIL + b"Content-Type: multipart/mixed\n\nwords",
        "same-boundary.eml": mixed + (b'--b\nContent-Type: multipart/mixed; boundary="b"\n\n' * 2_000) + b"words",
        "long-header.eml": _MAIL + b"X-Long: " + b"x" * 2**20 + b"\n\nwords",
        "many-headers.eml": _MAIL + b"Received: from a by b\n" * 50_000 + b"\nwords",
        "nul-header.eml": _MAIL.replace(b"parts", b"pa\x00rts \xff") + b"\nwords",
        "encoded-words.eml": _MAIL.replace(b"parts", b"=?utf-8?q?a?= " * 10_000) + b"\nwords",
        "charset.eml": _MAIL + b"Content-Type: text/plain; charset=klingon\n\nwords \xff",
        "no-base64.eml": _MAIL + b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!" + b"=" * 9_999,
        "date.eml": _MAIL.replace(b"Mon, 05 Jan 2026", b"Mon, 99 Jan 99999") + b"\nwords",
        "addresses.eml": _MAIL.replace(b"b@example.org", b"(((" * 5_000 + b"<b@example.org>, " * 5_000) + b"\nwords",
        "saved.mht": mixed + b"--b\nContent-Type: text/html\nContent-Location: http://[x\n\n<p>words\n--b--\n",
    }


def _notebooks() -> dict[str, bytes]:
    cell: dict[str, Any] = {"cell_type": "markdown", "metadata": {}, "source": "words"}
    book: dict[str, Any] = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    return {
        "deep.ipynb": b"[" * 100_000 + b"]" * 100_000,
        "cells.ipynb": json.dumps({**book, "cells": [cell] * 5_000}).encode(),
        "odd-cells.ipynb": json.dumps({**book, "cells": [None, 1, [], {"cell_type": 5, "source": {}}, cell]}).encode(),
        "no-object.ipynb": b"[1e999, NaN, null]",
        "number.ipynb": b'{"nbformat": ' + b"9" * 10_000 + b"}",
    }


def _damaged() -> dict[str, bytes]:
    """Each format cut at several places, with noise in it, and under the name of another."""
    found: dict[str, bytes] = {}
    suffixes = list(FORMATS)
    for place, suffix in enumerate(suffixes):
        sound = FORMATS[suffix](ARTICLE)
        for share in _SHARES:
            found[f"cut-at-{share:.0%}{suffix}".replace("%", "")] = sound[: int(len(sound) * share)]
        middle = len(sound) // 2
        found[f"noise-inside{suffix}"] = sound[:middle] + bytes(range(256)) * 4 + sound[middle:]
        found[f"zeros-before{suffix}"] = bytes(4_096) + sound
        found[f"named-otherwise{suffixes[place - 1]}"] = sound
    return found


def hostile_documents() -> dict[str, bytes]:
    """Every hostile file that is but a name and bytes."""
    unread = {f"unread-{name}": data for name, (data, _) in unreadable(ARTICLE).items()}
    return {**TEXTS, **archives(), **_pdfs(), **_pages(), **_messages(), **_notebooks(), **_damaged(), **unread}
