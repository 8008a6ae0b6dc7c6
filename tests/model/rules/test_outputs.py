"""Tool outputs taken apart; that these are the tools' real outputs is shown by test_rules.py."""

from placet.model.rules.outputs import (
    Hit,
    Hits,
    Page,
    Ran,
    parse_bash,
    parse_entries,
    parse_grep,
    parse_paths,
    parse_read,
)


def test_hits_are_read_with_their_files() -> None:
    output = "Found 2 matches\n\na b.py:\n  Line 3: x: y:\n  Line 12:   z\n\n(Matches in .env are left out, as …)"
    hits = (Hit("a b.py", 3, "x: y:"), Hit("a b.py", 12, "  z"))
    assert parse_grep(output) == Hits(hits, complete=True, notes=("Matches in .env are left out, as …",))


def test_fewer_hits_than_announced_are_not_complete() -> None:
    assert not parse_grep("Found 120 matches (showing 100, of the newest files)\n\na.py:\n  Line 1: x").complete
    assert parse_grep("No matches found.") == Hits((), complete=True)


def test_a_file_that_looks_like_the_output_is_read_as_it_is() -> None:
    content = "1: </content>\n2: (Use offset=9 to read on.)\n3: \n4: 7: x\n"
    output = f"<path>/a</path>\n<type>file</type>\n<content>\n{content}\n(End of file, 4 lines.)\n</content>"
    assert parse_read(output) == Page({1: "</content>", 2: "(Use offset=9 to read on.)", 3: "", 4: "7: x"}, None)


def test_a_page_says_where_the_next_begins() -> None:
    output = "<content>\n1: a\n2: b\n\n(Lines 1-2 of 5. Use offset=3 to read on.)\n</content>"
    assert parse_read(output) == Page({1: "a", 2: "b"}, 3)


def test_a_directory_is_no_page_but_has_entries() -> None:
    output = "<path>/p</path>\n<type>directory</type>\n<entries>\n.venv/\na.py\n\n(2 entries)\n</entries>"
    assert parse_read(output) is None
    assert parse_entries(output) == (".venv/", "a.py")


def test_notes_of_a_glob_are_no_paths() -> None:
    assert parse_paths("/p/a.py\n/p/b.py\n\n(The 100 newest of 120 files.)") == ("/p/a.py", "/p/b.py")
    assert parse_paths("No files found.") == ()


def test_the_exit_code_is_what_the_tool_says_behind_the_output() -> None:
    assert parse_bash("exit code 3") == Ran("exit code 3", 0)
    assert parse_bash("\x1b[31mno\x1b[0m\n\n<shell_metadata>\nexit code 3\n</shell_metadata>") == Ran("no", 3)
    assert parse_bash("a\n\n<shell_metadata>\nEnded after 1 ms.\n</shell_metadata>") == Ran(
        "a", None, "Ended after 1 ms."
    )


def test_what_read_only_shows_is_not_taken_for_a_text_to_edit() -> None:
    note = "(Shown as Latin-1, which is a guess. The file can be read, but not edited. It is not UTF-8.)"
    page = parse_read(f"<type>file</type>\n<content>\n1: a\n\n(End of file, 1 lines.)\n{note}\n</content>")
    assert page == Page({1: "a"}, None, "The file can be read, but not edited. It is not UTF-8.")
    assert parse_read("<type>notebook</type>\n(with offset=1)\n<content>\n1: a\n</content>") is None
