"""Lines and their ends. Only CR LF, LF and CR end a line: not U+2028, not a form feed (LSP 3.17, Text Documents)."""

import io

LINE_ENDINGS = ("\n", "\r\n", "\r")


def split_lines(text: str) -> list[str]:
    """Return the text's lines, each with its own end; the last line has no end if the text does not end with a line
    end.

    `"".join(split_lines(text)) == text`, and the empty text has no lines.
    """
    # An untranslated StringIO knows exactly these three ends, at the speed of C; str.splitlines knows eight more.
    return list(io.StringIO(text, newline=""))


def count_line_ends(text: str) -> int:
    """Return the number of line ends in the text."""
    return text.count("\n") + text.count("\r") - text.count("\r\n") if "\r" in text else text.count("\n")


def without_end(line: str) -> str:
    """Return the line without the line end."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


def line_ending(line: str) -> str:
    """Return the end of one line, empty if the line has no end."""
    return line[len(without_end(line)) :]


def to_lf(text: str) -> str:
    """Return the text with every line end turned into LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def dominant_line_ending(text: str) -> str:
    """Return the most frequent line end of the text; LF for a text without any, and LF or CR LF first on a tie."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(LINE_ENDINGS, key=lambda ending: counts[ending])


def own_line_ending(text: str) -> str:
    """Return the line end of a text in which all lines end alike; LF if they differ, and for a text without any."""
    ending = dominant_line_ending(text)
    return ending if to_lf(text).replace("\n", ending) == text else "\n"


def restore_line_endings(base: str, new_lf: str, earlier: str = "") -> str:
    """Return `new_lf` in the line endings of `base`: unchanged and changed lines keep their own line endings.

    New lines take the line endings of restored lines of `earlier`, otherwise the most frequent line ending of `base`.
    `to_lf` of the result is always `to_lf(new_lf)`.
    """
    new = to_lf(new_lf)
    if "\r" not in base and "\r" not in earlier:
        return new
    if all(text.count("\r") == text.count("\n") == text.count("\r\n") for text in (base, earlier)):
        return new.replace("\n", "\r\n")
    return "".join(
        _with_own_ends(split_lines(base), split_lines(new), split_lines(earlier), dominant_line_ending(base))
    )


def _with_own_ends(base: list[str], new: list[str], earlier: list[str], dominant: str) -> list[str]:
    # Imported here: the LSP server needs this module before it can afford the matcher.
    from placet.text.line_matching import gaps, matching_blocks

    contents = [without_end(line) for line in new]
    base_contents = [without_end(line) for line in base]
    ends = [dominant if line.endswith("\n") else "" for line in new]
    touched = [True] * len(new)

    def keep(number: int, line: str) -> None:
        own = line_ending(line)
        if own and ends[number]:
            ends[number] = own

    for gap in gaps(base_contents, contents):
        if gap.old_start < gap.old_end:
            for number in range(gap.new_start, gap.new_end):
                keep(number, base[min(gap.old_start + number - gap.new_start, gap.old_end - 1)])
    for block in matching_blocks([without_end(line) for line in earlier], contents) if earlier else ():
        for offset in range(block.size):
            keep(block.new + offset, earlier[block.old + offset])
    for block in matching_blocks(base_contents, contents):
        for offset in range(block.size):
            keep(block.new + offset, base[block.old + offset])
            touched[block.new + offset] = False
    for number in range(1, len(new)):
        # An empty line's LF right behind a lone CR would be read as the second half of a CR LF.
        if ends[number - 1] == "\r" and ends[number] == "\n" and not contents[number]:
            if touched[number - 1] and not touched[number]:
                ends[number - 1] = "\r\n"
            else:
                ends[number] = "\r"
    return [content + end for content, end in zip(contents, ends, strict=True)]
