from corpus_support import corpus
from placet.tools.web.page import decode_page, image_type, is_binary, is_html, media_type, render

PAGE = """<!doctype html><html><head><title>T</title><style>p{}</style></head><body><script>evil()</script>
<h1>Head</h1><p>Some <b>bold</b> <a href="/x">link</a>.</p><pre><code>x = 1\n  y</code></pre>
<noscript>no</noscript><img alt="pic" src="data:image/png;base64,%s"></body></html>""" % ("A" * 500)


@corpus(
    ("body", "charset"),
    [
        ("né".encode(), ""),
        ("né".encode(), "utf-8"),
        ("né".encode("latin-1"), "iso-8859-1"),
        ("né".encode("cp1252"), ""),
        (b"\xef\xbb\xbf" + "né".encode(), "iso-8859-1"),
        ("né".encode("utf-16"), "utf-8"),
        ("né".encode(), "no-such-charset"),
        ("né".encode(), "punycode"),
        ("né".encode(), "base64"),
    ],
)
def test_a_page_is_decoded_by_its_mark_its_header_or_as_browsers_do(body: bytes, charset: str) -> None:
    assert decode_page(body, charset) == "né"


@corpus("meta", ['<meta charset="shift_jis">', '<META http-equiv=x content="text/html; charset=SHIFT_JIS">'])
def test_a_page_may_name_its_charset_itself(meta: str) -> None:
    text = f"<html><head>{meta}</head>日本語"
    assert decode_page(text.encode("shift_jis"), "") == text


def test_the_header_outweighs_the_page() -> None:
    text = '<meta charset="utf-8">é'
    assert decode_page(text.encode("koi8-r", "replace").replace(b"?", b"\xc5"), "koi8-r").endswith("е")


def test_bad_bytes_of_a_declared_charset_are_shown_as_such() -> None:
    assert decode_page(b"a\xffb", "utf-8") == "a\ufffdb"


def test_the_header_says_type_and_charset() -> None:
    assert media_type('Text/HTML; charset="UTF-8"') == ("text/html", "utf-8")
    assert media_type("") == ("", "")


def test_html_becomes_markdown_without_what_is_no_content() -> None:
    text = render(PAGE, "https://a.example/docs/p.html", "markdown")
    assert "# Head" in text
    assert "Some **bold** [link](https://a.example/x)." in text
    assert "```\nx = 1\n  y\n```" in text
    for absent in ("evil", "p{}", "AAAA", "no\n"):
        assert absent not in text


def test_html_becomes_plain_text() -> None:
    text = render(PAGE, "https://a.example/", "text")
    assert "Some bold link." in text
    assert not set("<>#*") & set(text)


def test_html_stays_html_when_that_is_wanted() -> None:
    assert render(PAGE, "https://a.example/", "html") is PAGE


def test_a_hundred_thousand_nested_elements_do_no_harm() -> None:
    render("<div>" * 100_000 + "x", "https://a.example/", "markdown")


def test_images_are_known_by_their_first_bytes() -> None:
    assert image_type(b"\x89PNG\r\n\x1a\n...") == "image/png"
    assert image_type(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert image_type(b"<svg>") is None


def test_binary_is_known_by_its_nul_bytes() -> None:
    assert is_binary(b"PK\x03\x04\0\0")
    assert not is_binary("né".encode("utf-16"))


def test_html_without_a_type_is_known_by_its_start() -> None:
    assert is_html("", b" \n<!DOCTYPE html>")
    assert not is_html("", b"plain")
    assert not is_html("text/plain", b"<html>")
