"""The files that a prompt is about."""

from corpus_support import corpus
from placet.agent.whole_files.asking import fitting, is_question, question
from placet.agent.whole_files.finding import files_of_hits, find_files, named_symbols, search_pattern
from placet.model.rules.outputs import Hit
from placet.project.file_list import FileNames, file_names

NAMES = file_names(
    b"README.md\ncalc.py\nsrc/app/views.py\nsrc/shop/views.py\nsrc/shop/cart.py\ntests/test_calc.py\nMakefile\n"
)
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/ada/project/tests/test_calc.py", line 4, in test_mean
  File "/home/ada/project/calc.py", line 2, in mean
ZeroDivisionError: division by zero"""
PROMPTS: list[tuple[str, list[str], list[str]]] = [
    ("In calc.py, make mean() return 0 for an empty list.", [], ["calc.py"]),
    ("In ./calc.py: mend it.", [], ["calc.py"]),
    ("Look at @src/shop/cart.py, please.", [], ["src/shop/cart.py"]),
    ("shop/views.py:12 is wrong", [], ["src/shop/views.py"]),
    ("src\\shop\\views.py is wrong", [], ["src/shop/views.py"]),
    ("views.py is wrong", [], ["src/app/views.py", "src/shop/views.py"]),
    (TRACEBACK, [], ["calc.py", "tests/test_calc.py"]),
    ("Add a total to the cart.", [], ["src/shop/cart.py"]),
    ("Make it faster.", ["src/shop/cart.py"], ["src/shop/cart.py"]),
    ("Add a target to the Makefile.", [], ["Makefile"]),
    ("Make it faster.", [], []),
    ("Use numpy.py of another project.", [], []),
]


@corpus("prompt, near, files", PROMPTS)
def test_the_files_are_found_by_the_names_in_the_prompt(prompt: str, near: list[str], files: list[str]) -> None:
    assert find_files(prompt, NAMES, near) == files


def test_all_files_of_a_tiny_project_are_found_where_the_prompt_names_none() -> None:
    assert find_files("Make it faster.", file_names(b"a.py\nb.py\nREADME.md\n.hidden.py\n")) == ["a.py", "b.py"]
    assert find_files("Make it faster.", FileNames()) == []


def test_no_more_files_are_found_than_a_small_model_can_use() -> None:
    listing = "".join(f"d{number}/views.py\n" for number in range(20)).encode()

    assert len(find_files("views.py is slow", file_names(listing))) == 4


def test_files_are_shown_as_long_as_an_answer_with_all_of_them_fits_the_context() -> None:
    texts = {"a.py": "x = 1\n" * 500, "b.py": "y = 1\n" * 2000, "c.py": "z = 1\n" * 100}

    assert list(fitting(texts, "Mend it.", 4096)) == ["a.py", "c.py"]
    assert list(fitting(texts, "Mend it.", 32_768)) == ["a.py", "b.py", "c.py"]
    assert list(fitting(texts, "Mend it.", None)) == ["a.py", "c.py"]


def test_fences_of_a_shown_file_do_not_end_its_fence() -> None:
    assert question("Mend it.", {"a.md": "```\nx\n```\n"}, "").startswith("a.md\n````\n```\nx\n```\n````\n")


SYMBOLS: list[tuple[str, list[str]]] = [
    ("Make mean() return 0.", ["mean"]),
    ("Make `Stack.pop` and `mean` faster.", ["mean"]),
    ("Rename load_settings to read_settings in SettingsReader.", ["load_settings", "read_settings", "SettingsReader"]),
    ("In JavaScript, use f(x).", ["JavaScript"]),
    ("Make it faster, please.", []),
]


@corpus("prompt, names", SYMBOLS)
def test_names_of_code_are_told_from_prose(prompt: str, names: list[str]) -> None:
    assert named_symbols(prompt) == names


def test_the_file_that_defines_a_name_comes_before_files_that_use_it() -> None:
    hits = [Hit("use.py", line, "    mean([1])") for line in range(9)]

    assert files_of_hits([*hits, Hit("calc.py", 1, "def mean(xs):"), Hit("a.py", 1, "mean")]) == ["calc.py", "use.py"]


def test_a_pattern_takes_names_literally() -> None:
    assert search_pattern(["a", "b"]) == r"\b(a|b)\b"


QUESTIONS: list[tuple[str, bool]] = [
    ("What does median() return for an even number of values?", True),
    ("Why is calc.py slow?\n", True),
    ("Could you make mean() return 0?", False),
    ("Can mean() return 0, please?", False),
    ("Make mean() return 0. Is that all right? Go.", False),
    ("Make mean() return 0.", False),
]


@corpus("prompt, asks", QUESTIONS)
def test_a_question_is_told_from_a_request(prompt: str, asks: bool) -> None:
    assert is_question(prompt) == asks
    assert question(prompt, {}, "").startswith("Question: " if asks else "Task: ")
