"""Sources of bundles: real git repositories over file:// and HTTP; nothing of a repository runs while it is fetched."""

from pathlib import Path

import pytest

from bundle_support import commit, git, served, write_bundle
from corpus_support import corpus
from placet.extensions.bundles.fetch import Source, fetch, read_source
from placet.extensions.bundles.files import BundleError, digest_of, read_directory

FULL = "a" * 40


@corpus(
    ("written", "source"),
    [
        (f"https://example.org/team/b@{FULL}", Source("https://example.org/team/b", FULL, True)),
        ("https://example.org/team/b.git@v1.2", Source("https://example.org/team/b.git", "v1.2", True)),
        ("https://example.org/b@feature/x", Source("https://example.org/b", "feature/x", True)),
        ("https://user@example.org/b", Source("https://user@example.org/b", "", True)),
        ("git@example.org:team/b", Source("git@example.org:team/b", "", True)),
        (f"git@example.org:team/b@{FULL}", Source("git@example.org:team/b", FULL, True)),
        ("ssh://git@example.org/b", Source("ssh://git@example.org/b", "", True)),
        ("ssh://git@example.org/b@main", Source("ssh://git@example.org/b", "main", True)),
        ("file:///srv/b", Source("file:///srv/b", "", True)),
        ("./b", Source("/here/b")),
        ("b@2", Source("/here/b@2")),
        ("/srv/b", Source("/srv/b")),
    ],
)
def test_a_source_is_a_directory_or_an_address_with_a_commit(written: str, source: Source) -> None:
    assert read_source(written, Path("/here")) == source


@corpus(
    "written",
    [
        "ext::sh -c evil",
        "ext://sh",
        "git://example.org/b",
        "http://example.org/b@main",
        "https://user:secret@example.org/b",
        "ftp://example.org/b",
        "--upload-pack=evil@host:x",
    ],
)
def test_an_address_that_git_must_not_get_is_refused(written: str, tmp_path: Path) -> None:
    with pytest.raises(BundleError):
        fetch(read_source(written, tmp_path))


def test_a_commit_is_fetched_as_it_is_over_file_and_http(tmp_path: Path) -> None:
    repository = write_bundle(tmp_path / "repositories" / "b")
    first = commit(repository)
    (repository / "notes.txt").write_text("Another note.\n")
    second = commit(repository)
    with served(tmp_path / "repositories") as address:
        for place in (repository.as_uri(), f"{address}/b/.git"):
            old, new = (fetch(read_source(f"{place}@{ref}", tmp_path)) for ref in (first, second))
            assert (old.commit, new.commit) == (first, second)
            assert old.files["notes.txt"].content == b"A note.\n"
            assert digest_of(new.files) == digest_of(read_directory(repository))
            assert fetch(read_source(f"{place}@main", tmp_path)).commit == second
            assert fetch(read_source(place, tmp_path)).commit == second


def test_a_server_that_gives_out_no_single_commits_gives_its_branches(tmp_path: Path) -> None:
    repository = write_bundle(tmp_path / "b")
    first = commit(repository)
    commit(write_bundle(repository, {"notes.txt": "Newer.\n"}))
    git(repository, "config", "uploadpack.allowReachableSHA1InWant", "false")
    git(repository, "config", "protocol.version", "0")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "false")
    assert fetch(read_source(f"{repository.as_uri()}@{first}", tmp_path)).commit == first


def test_an_unknown_commit_a_missing_repository_and_a_short_commit_are_told(tmp_path: Path) -> None:
    repository = write_bundle(tmp_path / "b")
    present = commit(repository)
    for written in (f"{repository.as_uri()}@{FULL}", (tmp_path / "none").as_uri(), f"{repository.as_uri()}@gone"):
        with pytest.raises(BundleError, match=r"git .* failed: "):
            fetch(read_source(written, tmp_path))
    with pytest.raises(BundleError) as short:
        fetch(read_source(f"{repository.as_uri()}@{present[:8]}", tmp_path))
    assert "all 40 digits" in short.value.with_hint


def test_nothing_of_a_hostile_repository_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "mark"
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    evil.chmod(0o755)
    config = tmp_path / "gitconfig"  # The user's own filters and formats do not work on the bytes of a bundle either.
    config.write_text(f'[filter "evil"]\n\tsmudge = {evil}\n\trequired = true\n[tar "tar"]\n\tcommand = {evil}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("reference-transaction", "post-checkout"):
        (hooks / name).write_bytes(evil.read_bytes())
        (hooks / name).chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(hooks.parent))
    repository = write_bundle(
        tmp_path / "b",
        {
            "commands/a.md": "A",
            ".gitattributes": "* filter=evil\n",
            ".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = ext::{evil}\n',
        },
    )
    git(repository, "-c", "init.templateDir=", "init", "-q", "-b", "main")
    for name in ("hooks/reference-transaction",):
        (repository / ".git" / name).unlink(missing_ok=True)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    commit(repository)
    mark.unlink(missing_ok=True)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert fetch(read_source(repository.as_uri(), tmp_path)).files["commands/a.md"].content == b"A"
    assert not mark.exists()


def test_secrets_of_the_environment_stay_out_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "environment"
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\nenv > '{trace}'\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret-0123456789abcdef")
    with pytest.raises(BundleError):
        fetch(Source("https://example.org/b", "", True))
    assert "secret" not in trace.read_text()
