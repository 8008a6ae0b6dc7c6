from hypothesis import given
from hypothesis import strategies as st

from placet.agent.prompt.diff_excerpt import excerpt


def of_file(name: str, lines: int = 3) -> str:
    body = "".join(f"+line {number}\n" for number in range(lines))
    return f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -0,0 +1,{lines} @@\n{body}"


def test_a_short_diff_is_shown_as_it_is() -> None:
    diff = of_file("a.py") + of_file("b.py")
    assert excerpt(diff, 10_000, lambda _: True) == diff
    assert excerpt("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", 10_000, lambda _: False).startswith("--- a")


def test_of_a_long_diff_every_file_is_shown_in_part_and_short_ones_whole() -> None:
    shown = excerpt(of_file("long.py", 5000) + of_file("short.py"), 2000, lambda _: True)
    assert of_file("short.py") in shown
    assert "more characters of this file" in shown
    assert len(shown) < 2200


def test_of_what_may_not_be_shown_the_name_alone_is_told() -> None:
    shown = excerpt(of_file("a.py") + of_file("sub/.env"), 10_000, lambda name: not name.endswith(".env"))
    assert shown == of_file("a.py") + "diff --git a/sub/.env b/sub/.env\n(changed; its content is not shown)\n"


def test_a_name_with_strange_characters_is_judged_as_it_is_written() -> None:
    asked: list[str] = []
    excerpt(
        'diff --git "a/n\\303\\244me.py" "b/n\\303\\244me.py"\n+x\n', 100, lambda name: bool(asked.append(name)) or True
    )
    assert asked == ["n\\303\\244me.py"] * 2


def test_of_very_many_files_the_rest_is_counted() -> None:
    shown = excerpt("".join(of_file(f"{number}.py", 50) for number in range(1000)), 3000, lambda _: True)
    assert "more files)" in shown
    assert len(shown) < 7000


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b/c", ".env"]), st.integers(0, 400)), max_size=12), st.integers(0, 4000)
)
def test_it_is_never_much_longer_than_the_room(files: list[tuple[str, int]], room: int) -> None:
    shown = excerpt("".join(of_file(name, lines) for name, lines in files), room, lambda name: name != ".env")
    assert len(shown) <= 2 * room + 500
    assert not any(
        line.startswith("+line") for line in shown.partition("a/.env b/.env")[2].partition("diff")[0].split("\n")
    )
