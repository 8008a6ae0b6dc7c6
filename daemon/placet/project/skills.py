"""Skills on disk: directories with a SKILL.md; the front matter names and describes the skill."""

import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from placet.core.regular_files import read_regular_file
from placet.project.front_matter import FrontMatterError, parse_front_matter
from placet.project.paths import is_directory, real
from placet.project.prefixed_directory import Directory, PrefixedDirectory, path_of

log = logging.getLogger(__name__)

FILE_NAME = "SKILL.md"
MAX_BYTES = 1_000_000
MOST_DIRECTORIES = 10_000
LONGEST_NAME = 64

_SKIPPED = (".git", "node_modules")
_GIVEN = re.compile(r"The user has you follow the skill `([^`\n]+)`\.\n")

Vouches = Callable[[Path, bytes], bool]
"""Function that returns whether a file with these bytes may be used."""


def _anyone(file: Path, content: bytes) -> bool:
    return True


class SkillError(Exception):
    """A SKILL.md cannot be used; the text says why."""


class NotVouchedFor(SkillError):
    """The user does not trust this SKILL.md, so Placet may not use the file."""


class Skill(Struct, frozen=True):
    name: str
    description: str
    body: str
    file: Path
    bundle: PrefixedDirectory | None = None
    """Directory of the bundle that brings the skill."""


def find_skills(
    directories: Sequence[Directory],
    *,
    vouches: Vouches = _anyone,
    problems: list[str] | None = None,
) -> dict[str, Skill]:
    """Return the skills below the directories by name; a later skill of the same name wins. Blocks.

    An unusable skill is left out and reported: in `problems`, or else in the log. Files that nobody `vouches` for are
    left out silently.
    """
    tell = log.warning if problems is None else problems.append
    skills: dict[str, Skill] = {}
    for directory in directories:
        try:
            for file in _skill_files(path_of(directory)):
                bundle = directory if isinstance(directory, PrefixedDirectory) else None
                if (skill := _usable(file, vouches, tell, bundle)) is None:
                    continue
                if skill.name in skills:
                    tell(f"{file}: the skill `{skill.name}` replaces the skill in {skills[skill.name].file}")
                skills[skill.name] = skill
        except SkillError as error:
            tell(f"{path_of(directory)}: {error}")
    return skills


def _usable(
    file: Path, vouches: Vouches, tell: Callable[[str], None], bundle: PrefixedDirectory | None
) -> Skill | None:
    try:
        return read_skill(file, vouches, bundle)
    except NotVouchedFor:
        return None
    except SkillError as error:
        tell(f"{file}: the skill is ignored: {error}")
        return None


def read_skill(file: Path, vouches: Vouches = _anyone, bundle: PrefixedDirectory | None = None) -> Skill:
    """Read the skill in the file. Blocks. Raises SkillError, NotVouchedFor.

    A skill of a bundle has the name of its directory, behind the name of the bundle.
    """
    try:
        raw = read_regular_file(file, MAX_BYTES)
        if not vouches(file, raw):
            raise NotVouchedFor("it is not what you trusted")
        fields, body = parse_front_matter(raw.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, FrontMatterError) as error:
        raise SkillError(str(error)) from error
    name, description = fields.get("name"), fields.get("description")
    if bundle is not None:
        name = _name_in(bundle, file, name)
        body = bundle.expanded(body)
    if not isinstance(name, str) or not name.strip():
        raise SkillError("its front matter has no `name`")
    if len(name.strip()) > LONGEST_NAME or not name.isprintable():
        raise SkillError(f"its `name` is not a single line of at most {LONGEST_NAME} characters")
    if description is not None and not isinstance(description, str):
        raise SkillError("its `description` is not a text")
    if not (described := " ".join((description or "").split())):
        raise SkillError("its front matter has no `description`, by which the model chooses a skill")
    return Skill(name.strip(), described, body, file, bundle)


def _name_in(bundle: PrefixedDirectory, file: Path, written: object) -> str:
    """Return the name of the bundle's skill; a skill at the top of a bundle has its written name."""
    if file == bundle.path:
        return f"{bundle.prefix}:{written}" if isinstance(written, str) and written.strip() else bundle.prefix
    return bundle.name_of(file.parent)


def given_text(skill: Skill) -> str:
    """Return the skill for the model, as the slash command of the skill gives the text."""
    return (
        f"The user has you follow the skill `{skill.name}`.\n\n{skill.body.strip()}\n\n"
        f"Relative paths in this skill start at {skill.file.parent}."
    )


def skill_given_in(text: str) -> str | None:
    """Return the name of the skill that `given_text` gave, or None for any other text."""
    found = _GIVEN.match(text)
    return found[1] if found is not None else None


def files_of(skill: Skill, most: int) -> list[Path]:
    """Return up to `most` files that lie with the skill, in order. Blocks; symlinks to directories are not followed."""
    return list(islice((file for file in _walk(skill.file.parent) if file != skill.file), most))


def _skill_files(directory: Path) -> Iterator[Path]:
    """Yield each SKILL.md below the directory in order.

    Links to directories are followed, each directory once, as skills are often linked in from elsewhere. Raises
    SkillError once MOST_DIRECTORIES have been looked into: a link may lead to the root of the file system.
    """
    if directory.name == FILE_NAME:
        yield directory
        return
    seen: set[Path] = set()
    waiting = [directory]
    while waiting:
        parent = waiting.pop()
        if (place := real(parent)) in seen:
            continue
        if len(seen) == MOST_DIRECTORIES:
            raise SkillError(
                f"more than {MOST_DIRECTORIES} directories lie below; skills in further directories are ignored"
            )
        seen.add(place)
        try:
            names = sorted(entry.name for entry in parent.iterdir())
        except OSError:
            continue
        if FILE_NAME in names:
            yield parent / FILE_NAME
        waiting += [path for name in reversed(names) if name not in _SKIPPED and is_directory(path := parent / name)]


def _walk(directory: Path) -> Iterator[Path]:
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith((".", "__pycache__")))
        yield from (Path(parent) / name for name in sorted(names) if not name.startswith("."))
