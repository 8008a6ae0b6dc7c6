"""Intents of the user, recognised by the wording: a closed union of intents, and a function which finds the intent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Find:
    """Intent to find a name or a text."""

    name: str
    path: str = ""
    calls_only: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """Intent to list the definitions of a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Intent to change a name everywhere as a whole word; in the whole project, or below `path`."""

    old: str
    new: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Replace:
    """Intent to change a text throughout one file."""

    old: str
    new: str
    path: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Intent to fix a file's linter findings, as far as the linter can; without a path those of the whole project."""

    path: str = ""


@dataclass(frozen=True, slots=True)
class RunTests:
    runner: str = ""
    """Name of the runner, if the user named pytest, npm, go, cargo or make."""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Known intent with unknown objects; `question` names the missing part."""

    question: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Intent beyond the rules."""


Intent = Find | Outline | Rename | Replace | Fix | RunTests | Unclear | Unknown

_QUOTED = r""""[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|‘[^’]*’"""
_OPENING = re.compile(
    r"(?:(?:hey|hi|hello|ok|okay|placet|please|pls|kindly|now|just|let'?s|go\s+ahead\s+and|try\s+to|help\s+me(?:\s+to)?"
    r"|(?:can|could|would|will)\s+you|i(?:'d|\s+would)\s+like(?:\s+you)?\s+to|i\s+want(?:\s+you)?\s+to)\b[\s,:!]*)+",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"(?:[\s,.?!]*(?:\b(?:please|pls|for\s+me|thanks|thank\s+you)\b)?)*\Z", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\s+(?:everywhere|globally|(?:in|across|through|throughout|over)\s+(?:(?:the|this|all|my|our|whole|entire)\s+)*"
    r"(?:project|code\s?base|repo|repository|files|code|workspace|package|tree)"
    r"(?:\s+and\s+(?:(?:its|the|all)\s+)*tests)?)\Z",
    re.IGNORECASE,
)
_KIND = (
    r"(?:(?:the|a|all)\s+)*(?:(?:function|method|class|variable|symbol|name|identifier|constant|type|interface"
    r"|attribute|field|parameter|word|term|text|string)\s+)?"
)
_USES = (
    r"(?:uses?|usages?|references?|occurrences?|callers?|calls|mentions|definitions?|places?)\s+(?:of|to|for|with)\s+"
)
_USED = r"(?:being\s+)?(?:used|called|defined|declared|referenced|mentioned|imported|implemented|invoked)"
_WHERE = rf"(?:\s+(?:in|under|inside|within)\s+(?:the\s+)?(?:file\s+|directory\s+|folder\s+)?(?P<path>{_QUOTED}|\S+))?"
_FILE = rf"(?:the\s+)?(?:file\s+|module\s+)?(?P<path>{_QUOTED}|this(?:\s+file)?|it|\S+)"

_NOT_NAMES = {"bug", "bugs", "error", "errors", "problem", "problems", "mistake", "mistakes", "it", "this", "that"}
"""Words which ask for thought, not for a search; in quotes such a word is searched for."""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_RENAME = _pattern(
    rf"(?:re-?name|change\s+the\s+name\s+of)\s+{_KIND}(?P<old>{_QUOTED}|\S+)\s+(?:to|into|as|->|=>|→)\s+"
    rf"(?P<new>{_QUOTED}|\S+){_WHERE}"
)
_REPLACE = _pattern(
    rf"(?:replace|substitute|change)\s+(?:(?:all|every|each)\s+)?(?:(?:occurrences?|uses?|instances?)\s+of\s+)?"
    rf"(?:the\s+(?:text|string|word)\s+)?(?P<old>{_QUOTED}|.+?)\s+(?:by|with|to)\s+(?P<new>{_QUOTED}|.+?)"
    rf"(?:\s+in\s+{_FILE})?"
)
_IN_FILE_FIRST = _pattern(rf"in\s+{_FILE}\s+(?P<rest>(?:replace|substitute|change)\s.+)")
_FIND = (
    _pattern(
        rf"(?:find|search|grep|locate|look)(?:\s+me)?(?:\s+for)?\s+(?:(?:all|every|the|any)\s+)*(?:{_USES})?{_KIND}"
        rf"(?P<what>{_QUOTED}|\S+){_WHERE}"
    ),
    _pattern(
        rf"(?:(?:find|show|tell)(?:\s+me)?(?:\s+out)?\s+)?(?:where|how)\s+(?:is|are|was)\s+{_KIND}"
        rf"(?P<what>{_QUOTED}|\S+?)(?:\s+{_USED})?{_WHERE}"
    ),
    _pattern(
        rf"(?:find|show|tell)(?:\s+me)?(?:\s+out)?\s+where\s+{_KIND}(?P<what>{_QUOTED}|\S+)\s+(?:is|are)(?:\s+{_USED})?"
        rf"{_WHERE}"
    ),
    _pattern(rf"(?:show|list)(?:\s+me)?\s+(?:(?:all|every|the)\s+)*{_USES}{_KIND}(?P<what>{_QUOTED}|\S+){_WHERE}"),
    _pattern(
        rf"where\s+do(?:es)?\s+(?:we|i|it|the\s+code)\s+(?:use|call|define)\s+{_KIND}(?P<what>{_QUOTED}|\S+){_WHERE}"
    ),
    _pattern(rf"(?:(?:list|all|the)\s+)*(?:{_USES}){_KIND}(?P<what>{_QUOTED}|\S+){_WHERE}"),
    _pattern(rf"(?:who|what)\s+(?:uses|imports|references|mentions)\s+{_KIND}(?P<what>{_QUOTED}|\S+){_WHERE}"),
)
_CALLERS = (
    _pattern(rf"(?:who|what)\s+(?:calls|invokes)\s+{_KIND}(?P<what>{_QUOTED}|\S+){_WHERE}"),
    _pattern(
        rf"(?:(?:find|list|show)(?:\s+me)?\s+)?(?:(?:all|the)\s+)*(?:callers?\s+of|calls\s+(?:of|to))\s+{_KIND}"
        rf"(?P<what>{_QUOTED}|\S+){_WHERE}"
    ),
    _pattern(rf"where\s+is\s+{_KIND}(?P<what>{_QUOTED}|\S+)\s+(?:called|invoked){_WHERE}"),
)
_OUTLINE = (
    _pattern(rf"(?:outline|explain|describe|summari[sz]e)\s+{_FILE}"),
    _pattern(
        r"(?:(?:give|show|list|print)(?:\s+me)?\s+)?(?:(?:the|an|all)\s+)*"
        rf"(?:outline|structure|symbols|definitions|functions|classes)\s+(?:of|in|from|for)\s+{_FILE}"
    ),
    _pattern(rf"what(?:'s|\s+is)\s+in\s+{_FILE}"),
    _pattern(rf"what\s+does\s+{_FILE}\s+(?:do|define|contain)"),
)
_FIX = _pattern(
    r"(?:fix|auto-?fix|lint|mend|clean\s+up)\s+(?:(?:(?:all|the|every|any)\s+)*(?:(?:lint|linter|linting|ruff|style)\s*)?"
    rf"(?:errors?|problems?|issues?|warnings?|findings?|mistakes?)?\s*(?:in|of)\s+)?{_FILE}"
)
_FIX_ALL = _pattern(
    r"(?:run\s+(?:the\s+)?(?:linter|lint)|(?:fix|auto-?fix|mend|clean\s+up)\s+(?:(?:all|the|every|any|my|our)\s+)*"
    r"(?:lint|linter|linting|ruff|style)(?:\s*(?:errors?|problems?|issues?|warnings?|findings?|mistakes?))?)"
    r"(?:\s+(?:in|of)\s+(?:(?:the|this|my|our|whole|entire)\s+)*(?:project|code|repository|repo))?"
)
_RUN_TESTS = (
    _pattern(
        r"(?:(?:run|execute|start)\s+)?(?:(?:all|the|my|our|its|your|unit|whole|entire|full|project'?s?|package'?s?|own)\s+)*"
        r"(?:(?P<runner>npm|go|cargo|make|pytest(?=\W|\Z))(?:(?:\s+run)?\s+tests?|(?<=pytest))|(?:tests?|specs?)(?:[\s-]*suite)?)"
        rf"(?:\s+(?:in|of|from|at|for)\s+{_FILE})?"
    ),
    _pattern(
        rf"(?:(?:run|execute)\s+)?(?:pytest|(?:(?:the|all)\s+)*tests?(?:\s+file)?)\s+(?P<path>{_QUOTED}|\S*[./]\S*)"
    ),
    _pattern(r"run\s+(?P<path>\S*test\S*\.py(?:::\S+)?)"),
    _pattern(
        r"(?:do|are|does|is)\s+(?:(?:all|the|my|our)\s+)*tests?(?:[\s-]*suite)?\s+(?:pass|passing|green|ok|work|run)"
    ),
    _pattern(r"test\s+(?:it|this|everything)"),
)


def understand(prompt: str, attached: Sequence[str] = ()) -> Intent:
    """Return the intent of a prompt in English; case, quotes and politeness do not matter.

    `attached` are the files which came with the prompt: "this file", or a missing name, means the only attached file.
    """
    text = prompt.strip()
    if opening := _OPENING.match(text):
        text = text[opening.end() :]
    text = _CLOSING.sub("", text)
    this_file = attached[0] if len(attached) == 1 else ""
    return (
        _run_tests(text)
        or _rename(text)
        or _replace(text, this_file)
        or _find(text)
        or _fix(text, this_file)
        or _outline(text, this_file)
        or Unknown()
    )


def _rename(text: str) -> Rename | Unclear | None:
    if match := _RENAME.fullmatch(_EVERYWHERE.sub("", text)):
        return Rename(_name(match["old"]), _name(match["new"]), _path(match["path"]))
    if re.match(r"re-?name\b", text, re.IGNORECASE):
        return Unclear(
            "A rename is asked for as `rename OLD to NEW`, with ` in PATH` to keep it to a file or directory."
        )
    return None


def _replace(text: str, this_file: str) -> Replace | Unclear | None:
    if turned := _IN_FILE_FIRST.fullmatch(text):
        text = f"{turned['rest']} in {turned['path']}"
    if match := _REPLACE.fullmatch(text):
        path = _file(match["path"], this_file) or this_file
        if path:
            return Replace(_unquoted(match["old"]), _unquoted(match["new"]), path)
    if re.match(r"(?:replace|substitute)\b", text, re.IGNORECASE):
        return Unclear(
            "A replacement is asked for as `replace A by B in FILE`; put A and B in quotes when they hold spaces. "
            "To change a name in the whole project: `rename OLD to NEW`."
        )
    return None


def _find(text: str) -> Find | None:
    text = _EVERYWHERE.sub("", text)
    for pattern in _CALLERS:
        if match := pattern.fullmatch(text):
            return Find(_name(match["what"]), _path(match["path"]), calls_only=True)
    for pattern in _FIND:
        if (match := pattern.fullmatch(text)) and match["what"].lower() not in _NOT_NAMES:
            return Find(_name(match["what"]), _path(match["path"]))
    return None


def _fix(text: str, this_file: str) -> Fix | None:
    if _FIX_ALL.fullmatch(text):
        return Fix(this_file)
    match = _FIX.fullmatch(text)
    path = _file(match["path"], this_file) if match else ""
    return Fix(path) if path else None


def _outline(text: str, this_file: str) -> Outline | None:
    for pattern in _OUTLINE:
        if (match := pattern.fullmatch(text)) and (path := _file(match["path"], this_file)):
            return Outline(path)
    return None


def _run_tests(text: str) -> RunTests | None:
    for pattern in _RUN_TESTS:
        if match := pattern.fullmatch(_EVERYWHERE.sub("", text)):
            groups = match.groupdict()
            return RunTests((groups.get("runner") or "").lower(), _path(groups.get("path")))
    return None


def _unquoted(text: str) -> str:
    return text[1:-1] if re.fullmatch(_QUOTED, text) else text


def _name(text: str) -> str:
    """Return the name as written in the code: without quotes, and without the `()` which people add to functions."""
    quoted = re.fullmatch(_QUOTED, text) is not None
    name = _unquoted(text) if quoted else text.rstrip(",;:")
    return name.removesuffix("()") or name


def _path(text: str | None) -> str:
    if not text:
        return ""
    return _unquoted(text.rstrip(",;:")).removeprefix("@")


def _file(text: str | None, this_file: str) -> str:
    """Return the meant file, or an empty string if the words do not look like a file ("explain recursion")."""
    path = _path(text)
    if path.lower() in ("this", "it", "this file"):
        return this_file
    return path if re.search(r"[./\\]", path) else ""
