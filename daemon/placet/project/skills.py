"""Skills on disk: directories with a SKILL.md, whose front matter names and describes them."""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from placet.project.front_matter import FrontMatterError, parse_front_matter

log = logging.getLogger(__name__)

FILE_NAME = "SKILL.md"
MAX_BYTES = 1_000_000


class SkillError(Exception):
    """A SKILL.md cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    description: str
    body: str
    file: Path


def find_skills(directories: Sequence[Path], is_usable: Callable[[Path], bool] = lambda _: True) -> dict[str, Skill]:
    """The skills below the directories by name; a later one of the same name wins. Blocks.

    One that cannot be used is left out and logged; files that are not `is_usable` are passed over.
    """
    skills: dict[str, Skill] = {}
    for directory in directories:
        for file in filter(is_usable, _skill_files(directory)):
            try:
                skill = read_skill(file)
            except SkillError as error:
                log.warning("Skill %s is left out: %s", file, error)
                continue
            if skill.name in skills:
                log.warning("Skill `%s` of %s is replaced by that of %s", skill.name, skills[skill.name].file, file)
            skills[skill.name] = skill
    return skills


def read_skill(file: Path) -> Skill:
    """Blocks. Raises SkillError."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise SkillError(f"it is larger than {MAX_BYTES} bytes")
        fields, body = parse_front_matter(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, FrontMatterError) as error:
        raise SkillError(str(error)) from error
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str) or not name.strip():
        raise SkillError("its front matter has no `name`")
    return Skill(name.strip(), " ".join(str(description or "").split()), body, file)


def files_of(skill: Skill, most: int) -> list[Path]:
    """Up to `most` files that lie with the skill, in order. Blocks; symlinks to directories are not followed."""
    return list(islice((file for file in _walk(skill.file.parent) if file != skill.file), most))


def _skill_files(directory: Path) -> Iterator[Path]:
    """Links to directories are followed, each directory once, as skills are often linked in from elsewhere."""
    seen: set[str] = set()
    for parent, directories, names in os.walk(directory, followlinks=True):
        if (place := os.path.realpath(parent)) in seen:
            directories.clear()
            continue
        seen.add(place)
        directories[:] = sorted(name for name in directories if name not in (".git", "node_modules"))
        if FILE_NAME in names:
            yield Path(parent) / FILE_NAME


def _walk(directory: Path) -> Iterator[Path]:
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith((".", "__pycache__")))
        yield from (Path(parent) / name for name in sorted(names) if not name.startswith("."))
