"""Files of a bundle: what cannot be stored everywhere, or leads out of the bundle, is refused before it is written."""

import io
import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.extensions.bundles import files as module
from placet.extensions.bundles.copies import write_copy
from placet.extensions.bundles.files import (
    BundleError,
    BundleFile,
    Entry,
    below,
    checked,
    digest_of,
    read_directory,
    read_tar,
)


@corpus(
    ("path", "problem"),
    [
        ("../up.md", "leads out of the bundle"),
        ("a/../../up.md", "leads out of the bundle"),
        ("/etc/passwd", "leads out of the bundle"),
        ("a//b", "leads out of the bundle"),
        ("a\\..\\b", "a name that not every system can store"),
        ("C:evil", "a name that not every system can store"),
        ("commands/nul", "a name that not every system can store"),
        ("commands/COM1.md", "a name that not every system can store"),
        ("commands/trailing. ", "a name that not every system can store"),
        ("commands/a\u202egnp.md", "a name that not every system can store"),
        ("commands/a\nb.md", "a name that not every system can store"),
        ("x/.GIT/config", "a name that not every system can store"),
        ("/".join(["d"] * 20), "too long or too deep"),
        ("n" * 300, "too long or too deep"),
    ],
)
def test_an_odd_path_is_refused(path: str, problem: str) -> None:
    with pytest.raises(BundleError, match=problem):
        checked([Entry(path, b"x")])


@corpus(
    ("one", "other"), [("a/B.md", "a/b.md"), ("A/x.md", "a/y.md"), ("\u00e9.md", "e\u0301.md"), ("s.md", "\u017f.md")]
)
def test_paths_that_some_systems_take_for_the_same_are_refused(one: str, other: str) -> None:
    with pytest.raises(BundleError, match="are the same on some systems"):
        checked([Entry(one), Entry(other)])


def test_a_path_cannot_stand_twice() -> None:
    with pytest.raises(BundleError, match="twice"):
        checked([Entry("a.md", b"harmless"), Entry("a.md", b"evil")])


@corpus("target", ["/etc/passwd", "../../secret", "..", "a\\b", "C:x", "../x/../../y"])
def test_a_link_out_of_the_bundle_is_refused(target: str) -> None:
    with pytest.raises(BundleError, match=r"leads out of the bundle|no file of the bundle"):
        checked([Entry("commands/link.md", link=target)])


def test_a_link_inside_the_bundle_is_a_copy_of_its_target() -> None:
    files = checked([Entry("a/link.md", link="../b/real.md"), Entry("b/real.md", b"text", True)])
    assert files["a/link.md"] == BundleFile(b"text", True)


def test_links_that_lead_in_a_circle_are_refused() -> None:
    with pytest.raises(BundleError, match="over and over"):
        checked([Entry("a", link="b"), Entry("b", link="a")])


def test_links_do_not_multiply_the_size_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    links = [Entry(f"link{number}", link="big") for number in range(5)]
    with pytest.raises(BundleError, match="more than 100 bytes"):
        checked([Entry("big", b"x" * 60), *links])


def test_sizes_and_numbers_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 3)
    monkeypatch.setattr(module, "MOST_BYTES_OF_ONE", 10)
    with pytest.raises(BundleError, match="more than 3 files"):
        checked([Entry(str(number)) for number in range(4)])
    (tmp_path / "big").write_bytes(b"x" * 11)
    with pytest.raises(BundleError, match="big of the bundle cannot be read: it is larger than 10 bytes"):
        read_directory(tmp_path)


def test_a_pipe_and_a_loop_of_directories_are_no_files_of_a_bundle(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    with pytest.raises(BundleError, match="leads out of the bundle"):
        read_directory(tmp_path)
    (tmp_path / "loop").unlink()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BundleError, match="pipe of the bundle cannot be read: it is not a regular file"):
        read_directory(tmp_path)


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.LNKTYPE])
def test_an_archive_holds_files_and_links_alone(kind: bytes) -> None:
    with pytest.raises(BundleError, match="is no file and no link"):
        read_tar(_archive(("odd", kind, b"")))


def test_an_archive_with_a_path_that_climbs_out_is_refused() -> None:
    with pytest.raises(BundleError, match="leads out of the bundle"):
        read_tar(_archive(("../../.bashrc", tarfile.REGTYPE, b"evil")))


def test_a_directory_is_read_without_its_git_directory(tmp_path: Path) -> None:
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / ".git" / "hooks" / "post-checkout").write_text("evil")
    (tmp_path / "a.md").write_text("a")
    assert list(read_directory(tmp_path)) == ["a.md"]


def test_the_files_below_a_directory_have_paths_of_their_own() -> None:
    files = checked([Entry("plugins/x/a.md", b"a"), Entry("plugins/xy/b.md", b"b")])
    assert list(below(files, "plugins/x")) == ["a.md"]


_NAMES = st.sampled_from(["a", "b", "c", "d.md", "e f"])
_FILES = st.dictionaries(
    st.lists(_NAMES, min_size=1, max_size=3).map("/".join), st.tuples(st.binary(max_size=20), st.booleans()), max_size=6
).filter(lambda files: not any(f"{one}/" in f"{other}/" for one in files for other in files if one != other))


@given(files=_FILES)
def test_a_copy_has_the_digest_of_its_files(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, tuple[bytes, bool]]
) -> None:
    made = {path: BundleFile(content, is_executable) for path, (content, is_executable) in files.items()}
    copy = write_copy(tmp_path_factory.mktemp("copies"), "name", made)
    assert digest_of(read_directory(copy)) == copy.name == digest_of(made)


@given(_FILES, _FILES)
def test_different_files_have_different_digests(
    one: dict[str, tuple[bytes, bool]], other: dict[str, tuple[bytes, bool]]
) -> None:
    first, second = ({path: BundleFile(*file) for path, file in files.items()} for files in (one, other))
    assert (digest_of(first) == digest_of(second)) == (first == second)


def _archive(*entries: tuple[str, bytes, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, kind, content in entries:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content), "elsewhere"
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()
