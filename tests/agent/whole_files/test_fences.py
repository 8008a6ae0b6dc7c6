"""Fences of an answer, the files that they give, and the paths that they name."""

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.agent.whole_files.fences import Fence, FenceReader
from placet.agent.whole_files.placing import WholeFile, whole_file

CALC = "import math\n\n\ndef mean(xs):\n    return sum(xs) / len(xs)\n\n\ndef root(x):\n    return math.sqrt(x)\n"
GIVEN = {"calc.py": CALC, "src/shape.py": "def area(w, h):\n    return w * h\n", "notes.txt": "one\ntwo\nthree\n"}
CHANGED = CALC.replace("    return sum", "    if not xs:\n        return 0\n    return sum")
PARTLY_CHANGED = CALC.replace("len(xs)", "len(xs) if xs else 0")
PART = "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n"


def read(*pieces: str) -> list[str | Fence]:
    reader = FenceReader()
    return [piece for text in pieces for piece in reader.take(text)] + list(reader.finish())


def fences(text: str) -> list[Fence]:
    return [piece for piece in read(text) if isinstance(piece, Fence)]


NAMES: list[tuple[str, str]] = [
    ("calc.py\n```python\nx\n```", "calc.py"),
    ("**calc.py**\n\n```python\nx\n```", "calc.py"),
    ("`src/calc.py`:\n```\nx\n```", "src/calc.py"),
    ("### File: ./calc.py\n```py\nx\n```", "calc.py"),
    ("```python calc.py\nx\n```", "calc.py"),
    ("```python:src/calc.py\nx\n```", "src/calc.py"),
    ('```python title="calc.py"\nx\n```', "calc.py"),
    ("```python\n# calc.py\nx\n```", "calc.py"),
    ("```ts\n// src\\app.ts\nx\n```", "src/app.ts"),
    ("Makefile\n```\nx\n```", "Makefile"),
    ("I use os.path:\n```python\nx\n```", ""),
    ("```python\nx\n```", ""),
    ("```python\n# a comment\nx\n```", ""),
]


@corpus("text, name", NAMES)
def test_the_name_of_a_fence_is_found_beside_it(text: str, name: str) -> None:
    assert [fence.name for fence in fences(text)] == [name]


def test_a_line_with_the_path_belongs_to_its_fence_and_is_text_without_a_fence() -> None:
    assert [
        piece if isinstance(piece, str) else piece.written for piece in read("Done.\n\ncalc.py\n\n```\nx\n```\n")
    ] == [
        "Done.\n",
        "\n",
        "calc.py\n\n```\nx\n```\n",
    ]
    assert "".join(map(str, read("calc.py\n\nis fine.\ncalc.py"))) == "calc.py\n\nis fine.\ncalc.py"


def test_a_comment_that_names_the_file_is_no_line_of_the_file() -> None:
    assert fences("```python\n# calc.py\nx = 1\n```")[0].text == "x = 1\n"


@given(st.lists(st.integers(1, 40), max_size=30))
def test_an_answer_is_read_the_same_however_it_is_cut(sizes: list[int]) -> None:
    text = f"Here it is.\n\ncalc.py\n```python\n{CALC}```\nAnd more.\n~~~\na ``` b\n~~~"
    pieces: list[str] = []
    rest = text
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]

    whole, cut = read(text), read(*pieces, rest)

    assert _joined(cut) == _joined(whole)
    assert [one.text for one in whole if isinstance(one, Fence)] == [CALC, "a ``` b\n"]


def _joined(pieces: list[str | Fence]) -> list[str | Fence]:
    joined: list[str | Fence] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
def test_nothing_that_the_model_wrote_is_lost(text: str) -> None:
    shown = "".join(piece if isinstance(piece, str) else piece.written for piece in read(text))

    assert shown.rstrip("\n") == text.rstrip("\n")


PLACES: list[tuple[str, str, str | None, str]] = [
    ("the named file", f"calc.py\n```python\n{CHANGED}```", "calc.py", CHANGED),
    ("the end of a path", "shape.py\n```\nx\n```", "src/shape.py", "x\n"),
    ("a path above the project", "project/src/shape.py\n```\nx\n```", "src/shape.py", "x\n"),
    ("a named new file", "new.py\n```\nx\n```", "new.py", "x\n"),
    ("the like file", f"```python\n{CHANGED}```", "calc.py", CHANGED),
    ("the only file in the sentence", "Here is calc.py with re.sub:\n```\nx = 1\n```", "calc.py", "x = 1\n"),
    ("a part of the like file", f"```python\n{PART}```", "calc.py", PARTLY_CHANGED),
    ("a part of the named file", f"calc.py\n```python\n{PART}```", "calc.py", PARTLY_CHANGED),
    (
        "a part with an import and an example",
        f"calc.py\n```python\nimport math\nimport os\n\n{PART}\nprint(mean([]))\n```",
        "calc.py",
        PARTLY_CHANGED.replace("import math\n", "import math\nimport os\n"),
    ),
    ("an example", "```python\nprint(1)\n```", None, ""),
    ("a command", "```bash\npip install x\n```", None, ""),
]


@corpus("case, answer, path, text", PLACES)
def test_a_fence_is_placed_by_its_name_or_by_its_likeness(case: str, answer: str, path: str | None, text: str) -> None:
    [fence] = fences(answer)

    assert whole_file(fence, GIVEN) == (None if path is None else WholeFile(path, text)), case


def test_a_part_keeps_its_decorators_and_leaves_the_rest() -> None:
    old = "@cache\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
    [fence] = fences("a.py\n```python\n@lru_cache(maxsize=8)\ndef a():\n    return 3\n```")

    placed = whole_file(fence, {"a.py": old})

    assert placed is not None
    assert placed.text == "@lru_cache(maxsize=8)\ndef a():\n    return 3\n\n\ndef b():\n    return 2\n"
