"""Walk of a project for the sandbox: whole, bounded, and read anew only where a directory changed."""

import os
import time
from pathlib import Path

import pytest

from placet.sandbox.listings import Listings, ReadingRules, Tree


def write(file: Path, text: str = "") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def found(tree: Tree, top: Path) -> set[str]:
    """Return everything of a tree that matters, as paths relative to the top."""
    paths: set[str] = set()
    for directory in tree.notable:
        listing = tree.listings[directory]
        names = (*listing.protected, *listing.asked, *([".git"] if listing.git else []))
        paths |= {os.path.relpath(os.path.join(directory, name), top) for name in names}
        paths |= {os.path.relpath(directory, top)} if listing.is_bare else set()
    return paths


ENV = ReadingRules("env", lambda path: path.endswith("/.env"))


def test_every_level_dot_directory_and_installed_package_is_walked(tmp_path: Path) -> None:
    names = (
        *("a/b/c/d/e/f/.git/HEAD", ".hidden/repository/.git/HEAD", "node_modules/x/.git/HEAD", "deep/er/a/b/c/.env"),
        *("a/b/c/d/e/.vscode/tasks.json", ".hidden/.envrc", "node_modules/x/.env", "venv/.mcp.json"),
    )
    for name in names:
        write(tmp_path / name)
    assert found(Listings().walk(tmp_path, ENV), tmp_path) == {
        *("a/b/c/d/e/f/.git", ".hidden/repository/.git", "node_modules/x/.git", "deep/er/a/b/c/.env"),
        *("a/b/c/d/e/.vscode", ".hidden/.envrc", "node_modules/x/.env", "venv/.mcp.json"),
    }


def test_names_in_installed_packages_are_not_protected(tmp_path: Path) -> None:
    write(tmp_path / "node_modules/x/.npmrc")
    write(tmp_path / "lib/site-packages/x/.vscode/settings.json")
    assert Listings().walk(tmp_path).notable == ()
    package = tmp_path / "node_modules/x"
    assert found(Listings().walk(package), package) == {".npmrc"}, "a package is opened as a project"


def test_names_in_a_directory_and_names_by_their_ends_are_protected(tmp_path: Path) -> None:
    for name in (".cargo/config.toml", "sub/All.code-workspace", ".hg/hgrc", ".github/workflows/ci.yml", "config.toml"):
        write(tmp_path / name)
    assert found(Listings().walk(tmp_path), tmp_path) == {".cargo/config.toml", "sub/All.code-workspace", ".hg/hgrc"}


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "outside/.envrc")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/link").symlink_to(tmp_path / "outside")
    assert Listings().walk(tmp_path / "project").notable == ()


def test_the_stores_of_git_are_not_entered_and_a_bare_repository_is_no_way_to_hide(tmp_path: Path) -> None:
    for name in ("bare/HEAD", "bare/objects/aa/.envrc", "bare/refs/x", "bare/code/.envrc", "work/.git/objects/.envrc"):
        write(tmp_path / name)
    assert found(Listings().walk(tmp_path), tmp_path) == {"bare", "bare/code/.envrc", "work/.git"}


def test_a_settled_directory_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/one", "a/b/two", "c/three"):
        write(tmp_path / name)
    asked: list[str] = []

    def is_asked(path: str) -> bool:
        asked.append(os.path.relpath(path, tmp_path))
        return False

    listings, rules = Listings(), ReadingRules("rules", is_asked)
    after = time.time_ns() + 10**9
    monkeypatch.setattr("placet.sandbox.listings.time.time_ns", lambda: after)
    listings.walk(tmp_path, rules)
    assert sorted(asked) == ["a/b/two", "a/one", "c/three"]
    asked.clear()
    write(tmp_path / "a/b/new")
    listings.walk(tmp_path, rules)
    assert sorted(asked) == ["a/b/new", "a/b/two"]


def test_a_time_that_a_command_sets_back_hides_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after = time.time_ns() + 10**9
    monkeypatch.setattr("placet.sandbox.listings.time.time_ns", lambda: after)
    listings = Listings()
    listings.walk(tmp_path)
    before = tmp_path.stat()
    write(tmp_path / ".envrc")
    os.utime(tmp_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert found(listings.walk(tmp_path), tmp_path) == {".envrc"}


def test_listings_made_by_one_set_of_rules_serve_no_other_set(tmp_path: Path) -> None:
    write(tmp_path / ".env")
    listings = Listings()
    assert found(listings.walk(tmp_path), tmp_path) == set()
    assert found(listings.walk(tmp_path, ENV), tmp_path) == {".env"}
    assert found(listings.walk(tmp_path), tmp_path) == set()


def test_a_walk_that_meets_its_bound_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c/d"):
        (tmp_path / name).mkdir(parents=True)
    assert Listings().walk(tmp_path).gap == ""
    monkeypatch.setattr("placet.sandbox.listings.MOST_DIRECTORIES", 4)
    assert Listings().walk(tmp_path).gap == "has more than 4 directories"


def test_a_closed_directory_of_the_user_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a\u202eb/closed").mkdir(parents=True)
    scandir = os.scandir

    def closed(directory: str) -> object:
        if directory.endswith("/closed"):  # The user root reads a directory of any mode.
            raise PermissionError(13, "Permission denied")
        return scandir(directory)

    monkeypatch.setattr("placet.sandbox.listings.os.scandir", closed)
    assert "a\\u202eb/closed, which cannot be read" in Listings().walk(tmp_path).gap
    monkeypatch.setattr("placet.sandbox.listings.os.geteuid", lambda: -1)
    assert Listings().walk(tmp_path).gap == ""
