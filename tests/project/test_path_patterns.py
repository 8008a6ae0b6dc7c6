from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.project.path_patterns import LONGEST, MOST_CHOICES, fits_any


@corpus(
    ("pattern", "fitting", "others"),
    [
        ("*.ts", ["a.ts", "src/a.ts"], ["a.tsx", "a.ts/b"]),
        ("src/*.ts", ["src/a.ts"], ["a.ts", "src/b/a.ts", "x/src/a.ts"]),
        ("src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["a.ts", "test/a.ts"]),
        ("**/test/**", ["test/a", "src/test/b/c"], ["a", "tests/a"]),
        ("**", ["a", "b/c"], []),
        ("./docs/", ["docs/a", "docs/b/c"], ["a", "docs"]),
        ("/a.ts", ["a.ts"], ["src/a.ts"]),
        ("*.{ts,tsx}", ["a.ts", "b/a.tsx"], ["a.js", "a.{ts,tsx}"]),
        ("{src,lib/{a,b}}/*.py", ["src/x.py", "lib/a/x.py", "lib/b/x.py"], ["lib/x.py", "lib/c/x.py"]),
        ("?[a-c].md", ["xa.md"], ["a.md", "xd.md"]),
        ("A.md", ["A.md"], ["a.md"]),
        ("", [], ["a"]),
        ("{a", ["{a"], ["a"]),
    ],
)
def test_a_pattern_describes_these_paths_and_no_others(pattern: str, fitting: list[str], others: list[str]) -> None:
    assert [name for name in (*fitting, *others) if fits_any(name, [pattern])] == fitting


def test_one_of_the_patterns_is_enough() -> None:
    assert fits_any("a.py", ["*.ts", "*.py"])
    assert not fits_any("a.py", [])


def test_a_pattern_of_a_stranger_ends() -> None:
    assert not fits_any("/".join("a" * 200), ["/".join(["**", "a"] * 150) + "/b"])
    assert not fits_any("a" * 5000, ["*a" * (LONGEST // 2 - 1) + "b"])
    assert not fits_any("a", ["{b,b}" * 100])
    assert fits_any("a" * LONGEST, ["a" * LONGEST])
    assert not fits_any("a" * (LONGEST + 1), ["a" * (LONGEST + 1)])
    assert fits_any("0", ["{" + ",".join(map(str, range(MOST_CHOICES - 1, -1, -1))) + "}"])


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=6), st.data())
def test_names_in_place_of_which_stars_stand_fit(parts: list[str], data: st.DataObject) -> None:
    pattern: list[str] = []
    for part in parts:
        pattern += data.draw(st.sampled_from([[part], ["*"], ["**"], ["**", part], [part, "**"]]))
    assert fits_any("/".join(parts), ["/" + "/".join(pattern)])
