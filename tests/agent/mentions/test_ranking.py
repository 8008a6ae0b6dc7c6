from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.agent.mentions.ranking import LIMIT, OPEN, READ, best_names, best_of, fit
from placet.project.file_list import FileNames, file_names

FILES = (
    "README.md",
    "src/app/handlers.py",
    "src/app/handler_table.py",
    "src/handlers/__init__.py",
    "src/app/view.py",
    "src/model/view_model.py",
    "tests/app/test_handlers.py",
    "docs/preflight.md",
    "vendor/src/app/view.py",
)


def listed(*names: str) -> FileNames:
    return file_names("\n".join(names).encode())


def best(written: str, *names: str, **near: float) -> list[str]:
    return best_names(written, listed(*(names or FILES)), near)


@corpus(
    ("written", "first"),
    [
        ("handlers", "src/handlers/"),
        ("handlers.py", "src/app/handlers.py"),
        ("HANDLERS.PY", "src/app/handlers.py"),
        ("handler_", "src/app/handler_table.py"),
        ("view", "src/app/view.py"),
        ("model/view", "src/model/view_model.py"),
        ("src/app", "src/app/"),
        ("src/app/", "src/app/"),
        ("./src/app/v", "src/app/view.py"),
        ("srcview", "src/app/view.py"),
        ("test_hand", "tests/app/test_handlers.py"),
        ("hadnlers", "src/handlers/"),
        ("readme", "README.md"),
        ("README.md", "README.md"),
    ],
)
def test_the_likeliest_comes_first(written: str, first: str) -> None:
    assert best(written)[0] == first


def test_a_written_directory_is_followed_by_what_lies_in_it() -> None:
    assert best("src/app/")[:3] == ["src/app/", "src/app/view.py", "src/app/handlers.py"]


def test_a_basename_counts_more_than_a_directory_and_a_short_path_more_than_a_long_one() -> None:
    answer = best("app", "app/long/name.py", "x/app.py", "x/y/app.py")

    assert answer == ["app/", "x/app.py", "x/y/app.py", "app/long/", "app/long/name.py"]


def test_open_files_and_those_read_are_preferred() -> None:
    near = {"src/model/view_model.py": OPEN, "vendor/src/app/view.py": OPEN + READ}

    assert best_names("view", listed(*FILES), near)[0] == "vendor/src/app/view.py"
    assert best_names("", listed(*FILES), near)[:2] == ["vendor/src/app/view.py", "src/model/view_model.py"]


def test_a_near_file_is_found_though_it_is_not_in_the_list_but_only_where_it_fits() -> None:
    near = {"build/generated.py": OPEN}

    assert best_names("gener", listed(*FILES), near) == ["build/generated.py"]
    assert "build/generated.py" not in best_names("view", listed(*FILES), near)


def test_nothing_answers_what_no_name_is_like() -> None:
    assert best("zzzzqq") == []
    assert best("x" * 5000) == []


def test_with_nothing_written_the_top_of_the_project_comes_first() -> None:
    assert best("")[:5] == ["src/", "docs/", "tests/", "vendor/", "README.md"]


def test_a_good_name_deep_down_is_not_lost_among_very_many() -> None:
    many = [f"a/conf{number}/x.py" for number in range(1000)]
    deep = "some/rather/long/way/down/to/conf.py"

    assert best("conf", *many, deep)[0] == deep


def test_of_a_few_names_those_that_fit_are_kept_in_their_order() -> None:
    assert best_of("", ["undo", "redo"]) == ["undo", "redo"]
    assert best_of("do", ["undo", "fork", "redo"]) == ["undo", "redo"]
    assert best_of("re", ["compare", "redo"])[0] == "redo"


NAMES = st.lists(st.text("abcde/._İß-", min_size=1, max_size=12), max_size=30)


@given(NAMES, st.text("abcde/._İß-^]\\", max_size=6))
def test_whatever_is_written_the_answer_is_of_the_names_and_holds_its_letters(names, written) -> None:
    files = listed(*names)
    answer = best_names(written, files, {})

    assert len(answer) <= LIMIT
    assert set(answer) <= set(files.names)
    assert len(set(answer)) == len(answer)
    assert all(fit(name, written.lower().removeprefix("./")) for name in answer if written.removeprefix("./"))


@given(st.lists(st.text("abc/", min_size=1, max_size=8), min_size=1, max_size=20), st.data())
def test_a_name_that_is_written_out_is_the_first(names, data) -> None:
    files = listed(*names)
    name = data.draw(st.sampled_from(files.names))
    if "/" in name.rstrip("/"):
        assert best_names(name, files, {})[0] == name or "//" in name or name.startswith("/")
