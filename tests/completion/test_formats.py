"""The prompts of fill-in-the-middle models, by their names, and the control tokens that no text may bring."""

import pytest

from corpus_support import corpus
from placet.completion.formats import FORMATS, ContextFile, control_token_in, format_of, without_control_tokens

FILES = [ContextFile("lib/a.py", "A = 1"), ContextFile("b.py", "B = 2")]


@corpus(
    ("model", "name"),
    [
        ("llamafile/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "qwen"),
        ("ollama/qwen2.5-coder:7b-base", "qwen"),
        ("hosted_vllm/Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen"),
        ("openai/CodeQwen1.5-7B", "qwen"),
        ("mistral/codestral-latest", "codestral"),
        ("ollama/codestral:22b", "codestral"),
        ("ollama/starcoder2:3b", "starcoder2"),
        ("ollama/codellama:7b-code", "codellama"),
        ("openai/CodeLlama-7b-hf", "codellama"),
        ("deepseek/deepseek-coder", "deepseek-coder"),
        ("ollama/deepseek-coder-v2:16b", "deepseek-coder"),
        ("ollama/codegemma:2b", "codegemma"),
        ("ollama/granite4:3b", "granite"),
        ("openai/Seed-Coder-8B-Base", "seed-coder"),
        ("openai/gpt-5", None),
        ("anthropic/claude-sonnet-4", None),
        ("ollama/qwen3:8b", None),
        ("deepseek/deepseek-chat", None),
    ],
)
def test_the_format_follows_the_models_name(model: str, name: str | None):
    found = format_of(model)
    assert (found.name if found else None) == name


@corpus(
    ("name", "prompt", "with_files"),
    [
        (
            "qwen",
            "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>",
            "<|repo_name|>project\n<|file_sep|>lib/a.py\nA = 1\n<|file_sep|>b.py\nB = 2\n"
            "<|file_sep|>own.py\n<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>",
        ),
        (
            "codestral",
            "[SUFFIX]S[PREFIX]P",
            "[SUFFIX]S[PREFIX]+++++ lib/a.py\nA = 1\n+++++ b.py\nB = 2\n+++++ own.py\nP",
        ),
        (
            "starcoder2",
            "<fim_prefix>P<fim_suffix>S<fim_middle>",
            "<file_sep>A = 1<file_sep>B = 2<file_sep><fim_prefix>P<fim_suffix>S<fim_middle>",
        ),
        ("codellama", "<PRE> P <SUF>S <MID>", "<PRE> A = 1\nB = 2\nP <SUF>S <MID>"),
        (
            "deepseek-coder",
            "<｜fim▁begin｜>P<｜fim▁hole｜>S<｜fim▁end｜>",
            "<｜fim▁begin｜>A = 1\nB = 2\nP<｜fim▁hole｜>S<｜fim▁end｜>",
        ),
        (
            "codegemma",
            "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>",
            "<|fim_prefix|>A = 1\nB = 2\nP<|fim_suffix|>S<|fim_middle|>",
        ),
        (
            "granite",
            "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>",
            "<|fim_prefix|>A = 1\nB = 2\nP<|fim_suffix|>S<|fim_middle|>",
        ),
        (
            "seed-coder",
            "<[fim-suffix]>S<[fim-prefix]>P<[fim-middle]>",
            "<[fim-suffix]>S<[fim-prefix]>A = 1\nB = 2\nP<[fim-middle]>",
        ),
    ],
)
def test_the_prompt_has_the_parts_in_the_order_of_the_model(name: str, prompt: str, with_files: str):
    prompt_format = next(found for found in FORMATS if found.name == name)
    assert prompt_format.render("P", "S", (), "own.py") == prompt
    assert prompt_format.render("P", "S", FILES, "own.py") == with_files


def test_each_token_of_a_prompt_and_each_stop_of_a_format_counts_as_a_control_token():
    for prompt_format in FORMATS:
        prompt = prompt_format.render("", "", (), "own.py")
        assert control_token_in(prompt), prompt_format.name
        for stop in prompt_format.stops:
            assert control_token_in(stop), stop
            assert without_control_tokens(f"a = 1{stop}b") in ("a = 1", "a = 1\n"), stop


@pytest.mark.parametrize(
    "text", ["a <| b |> c", "x < y", "<p>a</p>", "[1, 2]", "a++++++ b", "<T>", "# PREFIX", "<div>"]
)
def test_code_that_only_looks_alike_is_no_control_token(text: str):
    assert control_token_in(text) is None
