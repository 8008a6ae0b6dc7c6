"""Ranking of names which match the text the user has written of a name, the best first. Pure.

A matching name holds the written letters in order; if no name does, names with a similar spelling match.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from placet.project.file_list import FileNames

LIMIT = 50
"""Maximum number of names in an answer."""
CONSIDERED = 120
"""Number of names of each kind of likeness which are compared closely."""
LONGEST_QUERY = 200
CLOSE_ENOUGH = 70
"""Least likeness in percent of a name with scattered letters, where other names hold the letters together."""
FEWEST_LETTERS = 4
"""Least length of a word which may be misspelled."""
LIKE_ENOUGH = 70
"""Least share in percent of the letters of both words, in order, without a file's suffix."""

MISSPELLED = 10.0
"""Highest rank of a name which does not even hold the letters."""
OPEN = 12.0
READ = 8.0
"""Bonus for an open file (OPEN), and for a file which the session has read (READ)."""


def best_names(written: str, files: FileNames, near: Mapping[str, float]) -> list[str]:
    """Return the best names, at most LIMIT. `near` holds names which the user is likelier to mean, each with a bonus.

    The names in `near` need not be in `files`. Blocks: 50,000 names take some 30 ms.
    """
    query = written.lower().removeprefix("./")
    if len(query) > LONGEST_QUERY:
        return []
    if not query:
        first = {*files.names[: 4 * CONSIDERED], *near}
        return sorted(first, key=lambda name: (-near.get(name, 0), name.count("/", 0, -1), len(name), name))[:LIMIT]
    names = {files.names[index] for index in _considered(query, files)}
    names.update(name for name in near if fit(name, query) > MISSPELLED)
    ranks = {name: rank + near.get(name, 0) for name in names if (rank := fit(name, query))}
    return sorted(ranks, key=lambda name: (-ranks[name], len(name), name))[:LIMIT]


def best_of(written: str, names: Iterable[str]) -> list[str]:
    """Return the names which fit, the best first, equally good names in their order; all names for an empty text."""
    query = written.lower()
    ranks = {name: fit(name, query) if query else 1.0 for name in names}
    return sorted((name for name, rank in ranks.items() if rank), key=lambda name: -ranks[name])


def fit(name: str, query: str) -> float:
    """Return how well the name matches the query (lower case), 0 for no match. The end of a path counts most."""
    path = name.lower()
    worth = _fit_path(path, query) if "/" in query else _fit_word(path.rstrip("/"), query)
    if worth == 0 and _holding(query)(path) is not None:
        worth = 18 + 0.25 * _likeness(path, query)
    if worth == 0:
        worth = _misspelled(path, query)
    return max(worth - min(len(path), 120) / 20, 0.1) if worth else 0.0


def _fit_path(path: str, query: str) -> float:
    """Return how well the path holds the query; a match at the root's beginning counts most."""
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
    """Return the likeness of the most similar stretch in percent."""
    from rapidfuzz import fuzz

    base = path[path.rfind("/", 0, -1) + 1 :]
    return max(fuzz.partial_ratio(query, base), 0.8 * fuzz.partial_ratio(query, path))


def _misspelled(path: str, query: str) -> float:
    from rapidfuzz import fuzz

    stem = path[path.rfind("/", 0, -1) + 1 :].partition(".")[0].rstrip("/")
    return MISSPELLED / 100 * fuzz.ratio(query, stem, score_cutoff=LIKE_ENOUGH)


def _considered(query: str, files: FileNames) -> Iterable[int]:
    """Return the indexes of the names to compare closely: the shortest of each kind of likeness, as 50,000 are too
    many."""
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
    """Return the position of the query in the last part of the path, negative if the query is not in the last part."""
    start = path.rfind("/", 0, -1) + 1
    return path.find(query, start) - start


def _scattered(query: str, lower: Sequence[str]) -> list[int]:
    """Return the indexes of names which hold the letters in order. The letter rarest in names is looked for first."""
    sample = "".join(lower[:: len(lower) // 200 + 1])
    rarest = min(query, key=sample.count)
    holds = _holding(query)
    return [index for index, name in enumerate(lower) if rarest in name and holds(name)]


@lru_cache(maxsize=8)
def _holding(query: str) -> Callable[[str], re.Match[str] | None]:
    """Return a function which matches a name (lower case) with the query's letters in order."""
    return re.compile("".join(f"[^{character}]*+{character}" for character in map(re.escape, query))).match
