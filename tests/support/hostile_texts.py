"""Words and texts that upset parsers, patterns, terminals and databases."""

ODD_WORDS: tuple[str, ...] = (
    "\x00", "a\x00b", "\x1b[2J\x1b[31mred", "\u202egpj.exe", "\u2066\u2069", "\ufeff", "\ufffe", "\U0010ffff",
    "Z\u0335\u0321\u0322" * 30, "🏴\U000e0067\U000e0062\U000e007f" * 20, "ﷺ" * 40, "\r\n\r\n", "\t" * 300,
    "'; DROP TABLE document; --", "%s%n%x", "{0.__class__}", "${jndi:ldap://127.0.0.1:9/a}", "{{7*7}}", "$(id)",
    "../../../../etc/passwd", "..\\..\\windows", "file:///etc/passwd", "http://[::1", "javascript:alert(1)",
    "<script>alert(1)</script>", "]]>", "<!ENTITY a SYSTEM 'file:///etc/passwd'>", "&amp;" * 50,
    "NaN", "Infinity", "1e999", "-0", "0x10", "٣", "²", "½", "١٢٣",
    "(" * 200, ")" * 200, '"' * 50, '"unclosed', "* OR NOT -", "a:* & !b | <->", "\\" * 99, "%", "_" * 50,
    "(a+)+$ " + "a" * 60, "*" * 200 + "a", "[" * 100 + "](" * 100, "=" * 400, "x" * 1_999, "ä" * 1_000,
    "citemark://passage/none", "scratch:" + "0" * 32, "0" * 64, "-" * 300, "word " * 399,
)  # fmt: skip
