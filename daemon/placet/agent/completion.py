"""Which names answer what the user has written of one, the best first. Pure.

Names hold the letters of what was written, in order; where none does, those that are spelled alike.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from placet.project.file_list import FileNames

LIMIT = 50
"""Names in one answer."""
CONSIDERED = 120
"""Of each kind of likeness, those that are compared closely."""
LONGEST_QUERY = 200
CLOSE_ENOUGH = 70
"""Percent of likeness of a name that holds the letters here and there, where others hold them together."""
FEWEST_LETTERS = 4
"""Of a word that may be misspelled."""
LIKE_ENOUGH = 70
"""Percent of the letters of both, in order, a file's suffix left out."""

MISSPELLED = 10.0
"""What fits no better does not even hold the letters."""
OPEN = 12.0
READ = 8.0
"""What it is worth that a file is open, and that the session has read it."""


def best_names(written: str, files: FileNames, near: Mapping[str, float]) -> list[str]:
    """At most LIMIT. `near`: names that the user is likelier to mean, and how much; they need not be in the list.

    Blocks: 50,000 names take some 30 ms.
    """
    query = written.lower().removeprefix("./")
    if len(query) > LONGEST_QUERY:
        return []
    if not query:
        first = {*files.names[: 4 * CONSIDERED], *near}
        return sorted(first, key=lambda name: (-near.get(name, 0), name.count("/", 0, -1), len(name), name))[:LIMIT]
    found = {files.names[index] for index in _considered(query, files)}
    found.update(name for name in near if fit(name, query) > MISSPELLED)
    ranks = {name: rank + near.get(name, 0) for name in found if (rank := fit(name, query))}
    return sorted(ranks, key=lambda name: (-ranks[name], len(name), name))[:LIMIT]


def best_of(written: str, names: Iterable[str]) -> list[str]:
    """Of some names those that fit, the best first, and in their order where they fit alike; all for nothing."""
    query = written.lower()
    ranks = {name: fit(name, query) if query else 1.0 for name in names}
    return sorted((name for name, rank in ranks.items() if rank), key=lambda name: -ranks[name])


def fit(name: str, query: str) -> float:
    """How well the name answers the query (lower case), 0 for not at all. What stands last in a path counts most."""
    path = name.lower()
    worth = _fit_path(path, query) if "/" in query else _fit_word(path.rstrip("/"), query)
    if worth == 0 and _holding(query)(path) is not None:
        worth = 18 + 0.25 * _likeness(path, query)
    if worth == 0:
        worth = _misspelled(path, query)
    return max(worth - min(len(path), 120) / 20, 0.1) if worth else 0.0


def _fit_path(path: str, query: str) -> float:
    """Of the root's beginning before any other."""
    if path.startswith(query):
        return 100 if path == query else 88
    at = path.find(query)
    return 0 if at < 0 else 66 if path[at - 1] == "/" else 55


def _fit_word(path: str, query: str) -> float:
    base = path[path.rfind("/") + 1 :]
    at, at_base = path.find(query), base.find(query)
    if query in (path, base):
        return 100
    if at_base == 0:
        return 94 if query == base.partition(".")[0] else 84
    if at_base > 0:
        return 64 if base[at_base - 1].isalnum() else 74
    if at > 0:
        return 48 if path[at - 1].isalnum() else 60
    return 66 if at == 0 else 0


def _likeness(path: str, query: str) -> float:
    """In percent, of the stretch that is most alike."""
    from rapidfuzz import fuzz

    base = path[path.rfind("/", 0, -1) + 1 :]
    return max(fuzz.partial_ratio(query, base), 0.8 * fuzz.partial_ratio(query, path))


def _misspelled(path: str, query: str) -> float:
    from rapidfuzz import fuzz

    stem = path[path.rfind("/", 0, -1) + 1 :].partition(".")[0].rstrip("/")
    return MISSPELLED / 100 * fuzz.ratio(query, stem, score_cutoff=LIKE_ENOUGH)


def _considered(query: str, files: FileNames) -> Iterable[int]:
    """Which of the names to compare closely: of 50,000 nobody wants to. The shortest of each kind of likeness."""
    from rapidfuzz import fuzz, process

    lower = files.lower
    holding = [index for index, name in enumerate(lower) if query in name]
    chosen = dict.fromkeys(holding[:CONSIDERED])
    if len(holding) > CONSIDERED and "/" not in query:
        stem = f"/{query}."
        chosen.update(dict.fromkeys([index for index in holding if stem in lower[index]][:CONSIDERED]))
        chosen.update((index, None) for index in _first(holding, lambda index: _in_base(query, lower[index]) == 0))
        chosen.update((index, None) for index in _first(holding, lambda index: _in_base(query, lower[index]) > 0))
    if len(chosen) < LIMIT:
        names = {index: lower[index] for index in _scattered(query, lower)}
        cutoff = CLOSE_ENOUGH if chosen else 0
        nearest = process.extract(query, names, scorer=fuzz.partial_ratio, score_cutoff=cutoff, limit=CONSIDERED)
        chosen.update((index, None) for _, _, index in nearest)
    if not chosen and len(query) >= FEWEST_LETTERS:
        bases = [name[name.rfind("/", 0, -1) + 1 :] for name in lower]
        alike = process.extract(query, bases, scorer=fuzz.ratio, score_cutoff=LIKE_ENOUGH - 20, limit=LIMIT)
        chosen.update((index, None) for _, _, index in alike)
    return chosen


def _first(indexes: Iterable[int], fits: Callable[[int], bool]) -> Iterator[int]:
    return islice(filter(fits, indexes), CONSIDERED)


def _in_base(query: str, path: str) -> int:
    """Where the query stands in what is last in the path; negative for nowhere."""
    start = path.rfind("/", 0, -1) + 1
    return path.find(query, start) - start


def _scattered(query: str, lower: Sequence[str]) -> list[int]:
    """The names that hold the letters in order. The letter that is rare in names is looked for first."""
    sample = "".join(lower[:: len(lower) // 200 + 1])
    rarest = min(query, key=sample.count)
    holds = _holding(query)
    return [index for index, name in enumerate(lower) if rarest in name and holds(name)]


@lru_cache(maxsize=8)
def _holding(query: str) -> Callable[[str], re.Match[str] | None]:
    """Whether a name (lower case) holds the letters of the query in their order."""
    return re.compile("".join(f"[^{one}]*+{one}" for one in map(re.escape, query))).match
