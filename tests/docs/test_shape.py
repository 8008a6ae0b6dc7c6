"""The sizes that `make check` allows for files, functions and folders (scripts/shape.py)."""

from pathlib import Path

from scripts.shape import MOST_FILES, MOST_FUNCTION_LINES, MOST_LINES, SOURCES, faults

ROOT = Path(__file__).parents[2]
WIRE = "clients/vscode/src/wire.ts"
"""A generated file."""


def faults_of(files: dict[str, str], root: Path) -> list[str]:
    """Write the files below `root`; return their faults, without those of the folders that are missing there."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return sorted(fault for fault in faults(root) if "has no file" not in fault)


def test_the_project_has_no_fault() -> None:
    assert list(faults(ROOT)) == []


def test_a_file_that_is_too_long_and_a_folder_that_is_too_full_are_named(tmp_path: Path) -> None:
    files = {
        "daemon/placet/core/events.py": "a = 1\n" * (MOST_LINES + 1),
        "clients/vscode/src/ui/window.ts": "const a = 1;\n" * MOST_LINES,
        "clients/vscode/src/ui/plain_text.ts": "const a = 1;\n" * (MOST_LINES + 1),
    }
    full = {f"daemon/placet/tools/module_{number}.py": "" for number in range(MOST_FILES)}
    too_full = {f"clients/vscode/src/auth/module_{number}.ts": "" for number in range(MOST_FILES + 1)}

    assert faults_of(files | full | too_full | {"daemon/placet/tools/__init__.py": ""}, tmp_path) == [
        f"clients/vscode/src/auth has {MOST_FILES + 1} files, {MOST_FILES} at most",
        f"clients/vscode/src/ui/plain_text.ts has {MOST_LINES + 1} lines, {MOST_LINES} at most",
        f"daemon/placet/core/events.py has {MOST_LINES + 1} lines, {MOST_LINES} at most",
    ]


def test_a_generated_file_may_be_long_and_a_long_file_that_only_speaks_of_generated_files_may_not(
    tmp_path: Path,
) -> None:
    wire = (ROOT / WIRE).read_text("utf-8")
    assert len(wire.splitlines()) > MOST_LINES
    assert faults_of({WIRE: wire}, tmp_path) == []

    [fault] = faults_of({WIRE: "\n\n" + wire}, tmp_path)

    assert fault.startswith(f"{WIRE} has ")


def test_a_measured_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    assert [fault.removesuffix(" has no file to measure") for fault in faults(tmp_path)] == list(SOURCES)


def test_a_function_that_is_too_long_without_its_docstring_is_named_wherever_it_stands(tmp_path: Path) -> None:
    def function(lines: int, start: str) -> str:
        return f'{start}():\n    """A sentence.\n\n    Another sentence.\n    """\n' + "    a = 1\n" * (lines - 1)

    method = function(MOST_FUNCTION_LINES + 2, "def method").replace("\n", "\n    ").rstrip()
    text = (
        function(MOST_FUNCTION_LINES, "def fits")
        + f"class Owner:\n    {method}\n"
        + function(MOST_FUNCTION_LINES + 3, "@decorated\nasync def waits")
    )

    lines = [number for number, line in enumerate(text.splitlines(), 1) if "method" in line or "waits" in line]
    assert set(faults_of({"scripts/module.py": text}, tmp_path)) == {
        f"scripts/module.py:{lines[0]}: method has {MOST_FUNCTION_LINES + 2} lines, {MOST_FUNCTION_LINES} at most",
        f"scripts/module.py:{lines[1]}: waits has {MOST_FUNCTION_LINES + 3} lines, {MOST_FUNCTION_LINES} at most",
    }


def test_a_function_and_the_functions_inside_count_together(tmp_path: Path) -> None:
    inner = "    def inner():\n" + "        a = 1\n" * (MOST_FUNCTION_LINES - 1)

    assert faults_of({"scripts/module.py": f"def outer():\n{inner}"}, tmp_path) == [
        f"scripts/module.py:1: outer has {MOST_FUNCTION_LINES + 1} lines, {MOST_FUNCTION_LINES} at most"
    ]


def test_a_function_of_lua_that_is_too_long_is_named_in_each_form(tmp_path: Path) -> None:
    def lines(count: int, indentation: str = "  ") -> str:
        return f"{indentation}if tell() then\n{indentation}end\n" * (count // 2)

    text = (
        f"function M.fits()\n{lines(MOST_FUNCTION_LINES - 2)}end\n"
        f"local function too_long(name)\n{lines(MOST_FUNCTION_LINES)}end\n"
        f"call(1, function() -- Tells.\n{lines(MOST_FUNCTION_LINES)}end)\n"
        f"local short = function() return tell() end\n{lines(MOST_FUNCTION_LINES, '')}"
        f"function Teller:outer()\n  return function()\n{lines(MOST_FUNCTION_LINES - 2, '    ')}  end\nend\n"
        f"is_called = type(name) == 'function' and name()\n{lines(MOST_FUNCTION_LINES, '')}"
    )

    found = faults_of({"clients/neovim/lua/placet/module.lua": text}, tmp_path)

    assert sorted(fault.split(": ", 1)[1] for fault in found) == [
        f"{function} has {MOST_FUNCTION_LINES + 2} lines, {MOST_FUNCTION_LINES} at most"
        for function in ("call(1, function()", "function Teller:outer()", "local function too_long(name)")
    ]
