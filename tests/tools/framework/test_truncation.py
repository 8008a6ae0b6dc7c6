import os
import time
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from placet.tools.framework.truncation import (
    MAX_BYTES,
    MAX_LINES,
    RETENTION_SECONDS,
    bound_file,
    bound_output,
    first_part,
    fits,
    forget_old_outputs,
    last_part,
)

lines = st.builds(
    lambda text, count: text * count,
    st.text("ab\né𝄞", min_size=1, max_size=40),
    st.sampled_from([1, 700, 2001, 60_000]),
)
outputs = st.builds("\n".join, st.lists(lines, max_size=4)) | st.text(max_size=50)


def line_count(data: bytes) -> int:
    return len(data.removesuffix(b"\n").split(b"\n")) if data else 0


@given(outputs)
@example("a" + "é" * 60_000)
@example("é" * 60_000 + "a")
def test_what_is_kept_is_within_both_limits_and_a_part_of_the_whole(text: str) -> None:
    data = text.encode()
    for part, is_part in ((first_part(data), data.startswith), (last_part(data), data.endswith)):
        assert is_part(part)
        assert len(part) <= MAX_BYTES
        assert line_count(part) <= MAX_LINES
        part.decode()  # No character is cut in two.
        assert (part == data) == fits(text)
        assert part or not data


@given(outputs)
def test_as_much_is_kept_as_half_the_limits_at_least(text: str) -> None:
    data = text.encode()
    for part in (first_part(data), last_part(data)):
        assert part == data or len(part) >= MAX_BYTES // 2 - 4 or line_count(part) == MAX_LINES


def test_a_text_that_fits_is_left_as_it_is(tmp_path: Path) -> None:
    bounded = bound_output("one\ntwo", tmp_path / "output", may_delegate=False)
    assert (bounded.text, bounded.path) == ("one\ntwo", None)
    assert not (tmp_path / "output").exists()


def test_the_head_comes_first_then_the_notice_and_the_whole_is_kept(tmp_path: Path) -> None:
    text = "".join(f"{number}\n" for number in range(1, 2501))
    bounded = bound_output(text, tmp_path, may_delegate=False)
    assert bounded.path is not None
    assert bounded.path.read_text() == text
    assert bounded.text.startswith("1\n2\n")
    assert f"\n2000\n\n...500 lines truncated...\n\nThe whole output is in {bounded.path}." in bounded.text
    assert "with offset and limit" in bounded.text


def test_an_agent_that_may_delegate_is_told_to(tmp_path: Path) -> None:
    bounded = bound_output("x\n" * 3000, tmp_path, may_delegate=True, keep="tail")
    assert bounded.text.startswith("...1000 lines truncated...")
    assert "task tool" in bounded.text


def test_one_huge_line_is_cut_within(tmp_path: Path) -> None:
    head = bound_output("é" * 100_000, tmp_path, may_delegate=False)
    assert head.text.startswith("é" * (MAX_BYTES // 2))
    assert f"...{200_000 - MAX_BYTES} bytes truncated..." in head.text


def test_the_tail_of_a_file_is_shown_and_a_file_that_fits_is_removed(tmp_path: Path) -> None:
    long, short = tmp_path / "long", tmp_path / "short"
    long.write_text("".join(f"line {number}\n" for number in range(100_000)))
    short.write_text("one\ntwo\n")
    bounded = bound_file(long, may_delegate=False)
    assert bounded.path == long
    assert bounded.text.startswith("...98000 lines truncated...")
    assert bounded.text.endswith("line 99999\n")
    assert bound_file(short, may_delegate=False).text == "one\ntwo\n"
    assert long.exists()
    assert not short.exists()


@given(st.integers(0, 1), st.sampled_from([b"\x80", b"\xff", b"\xc3"]), st.integers(0, 60_000))
def test_bytes_that_are_no_text_stay_within_the_limits(ends: int, junk: bytes, count: int) -> None:
    part = last_part(junk * count + b"\n" * ends)
    assert len(part) <= MAX_BYTES
    assert part or not count + ends


def test_a_binary_output_grows_no_larger_than_the_limit_when_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(b"\xff" * 60_000)
    assert len(bound_file(path, may_delegate=False).text.encode()) < MAX_BYTES + 500


def test_old_outputs_are_forgotten(tmp_path: Path) -> None:
    old, new, other = tmp_path / "tool_old", tmp_path / "tool_new", tmp_path / "other"
    for path in (old, new, other):
        path.write_text("")
    long_ago = time.time() - RETENTION_SECONDS - 60
    for path in (old, other):
        os.utime(path, (long_ago, long_ago))
    forget_old_outputs(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "tool_new"]


def test_old_outputs_of_sessions_are_forgotten_and_then_their_directories(tmp_path: Path) -> None:
    long_ago = time.time() - RETENTION_SECONDS - 60
    for name in ("ses_1/tool_old", "ses_1/tool_new", "ses_2/tool_old", "ses_3/tool_new"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
        if path.name == "tool_old":
            os.utime(path, (long_ago, long_ago))
    forget_old_outputs(tmp_path)
    os.utime(tmp_path / "ses_2", (long_ago, long_ago))
    forget_old_outputs(tmp_path)
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert names == ["ses_1", "ses_1/tool_new", "ses_3", "ses_3/tool_new"]
