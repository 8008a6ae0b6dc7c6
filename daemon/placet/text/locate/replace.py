"""Replacement of a quoted text: exactly one place, or every place on request, or an error with advice."""

import re

from placet.core.errors import EditError
from placet.text.indentation import reindent
from placet.text.lines import to_lf
from placet.text.locate.content import Candidate, Content, Quotation
from placet.text.locate.nearest import describe_nearest
from placet.text.locate.similarity import CLEARLY_BETTER
from placet.text.locate.strategies import STRATEGIES, exact

_MOST_LINES_LISTED = 20


def replace_text(content: str, old: str, new: str, *, replace_all: bool = False) -> str:
    """Return the content with `old` replaced by `new`, taken literally. All three have LF line ends.

    The first strategy with a result decides: one place is replaced, several only with `replace_all`.
    Raises EditError, with advice, when nothing or too much is found or nothing would change.
    """
    old, new = to_lf(old), to_lf(new)
    _check(old, new)
    at = content.find(old)
    if at >= 0 and (replace_all or content.find(old, at + 1) < 0):
        # Nearly every edit ends here, without a look at the lines of a long file.
        return content.replace(old, new)
    text, quotation = Content.of(content), Quotation.of(old)
    strategies = STRATEGIES[:1] if quotation.is_blank else STRATEGIES
    for strategy, how in strategies:
        candidates = list(strategy(text, quotation))
        if candidates:
            chosen = _apart(candidates) if replace_all else [_only(text, candidates, how)]
            result = _spliced(content, chosen, old, new)
            if result == content:
                raise EditError("The file already reads as newString there: nothing to change.")
            return result
    raise EditError(_not_found(text, quotation, new))


def _check(old: str, new: str) -> None:
    if not old:
        raise EditError(
            "oldString is empty. Quote the text to replace; to add lines, quote a neighbouring line and repeat it in "
            "newString; to create or replace a whole file use the write tool."
        )
    if old == new:
        raise EditError("oldString and newString are the same: nothing to change. Put the wanted text in newString.")


def _only(content: Content, candidates: list[Candidate], how: str) -> Candidate:
    """Return the only candidate, or the candidate clearly more alike than the rest."""
    best, *others = sorted(candidates, key=lambda candidate: -candidate.similarity)
    if all(best.similarity - other.similarity >= CLEARLY_BETTER for other in others):
        return best
    numbers = sorted({content.line_number(candidate.start) for candidate in candidates})
    listed = ", ".join(map(str, numbers[:_MOST_LINES_LISTED]))
    more = f" and {len(numbers) - _MOST_LINES_LISTED} more" if len(numbers) > _MOST_LINES_LISTED else ""
    raise EditError(
        f"oldString is found {len(candidates)} times{f' ({how})' if how else ''}, at "
        f"{'line' if len(numbers) == 1 else 'lines'} {listed}{more}. Quote more of the lines around the one you mean, "
        "exactly as the file has them, or set replaceAll to change every one."
    )


def _apart(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates in order, without candidates that overlap an earlier candidate."""
    chosen: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda candidate: candidate.start):
        if not chosen or candidate.start >= chosen[-1].end:
            chosen.append(candidate)
    return chosen


def _spliced(content: str, chosen: list[Candidate], old: str, new: str) -> str:
    pieces: list[str] = []
    at = 0
    for candidate in chosen:
        pieces += (content[at : candidate.start], _fitted(candidate, old, new))
        at = candidate.end
    return "".join([*pieces, content[at:]])


def _fitted(candidate: Candidate, old: str, new: str) -> str:
    """Return the new text as needed at this place."""
    if candidate.trimmed:
        return _without_shared_ends(old, new)
    text = reindent(new, candidate.indents)
    return text if candidate.ended else text.removesuffix("\n")


def _without_shared_ends(old: str, new: str) -> str:
    """Return `new` without the white space common to the ends of `new` and `old`."""
    lead = _shared(old[: len(old) - len(old.lstrip())], new)
    new = new[lead:]
    trail = _shared(old[len(old.rstrip()) :][::-1], new[::-1])
    return new[: len(new) - trail]


def _shared(left: str, right: str) -> int:
    """Return the number of equal characters at the start of two texts."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (character, other) in pairs if character != other), min(len(left), len(right)))


def _not_found(content: Content, quotation: Quotation, new: str) -> str:
    if not content.text:
        return "oldString is not in the file, which is empty. Use the write tool to give it content."
    advice = ["oldString is not in the file, and nothing close enough to it is."]
    if all(re.match(r"\d+: ", line) for line in quotation.lines if line.strip()) and not quotation.is_blank:
        advice.append("It seems to hold the line numbers that read puts before each line: leave them out.")
    if new.strip() and (place := next(exact(content, Quotation.of(new)), None)):
        advice.append(f"newString is already there, at line {content.line_number(place.start)}.")
    advice.append(describe_nearest(content.lines, quotation.lines))
    advice.append("Read that part of the file again, and quote it exactly as it is.")
    return "\n".join(advice)
