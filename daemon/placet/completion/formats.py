"""Prompts of fill-in-the-middle models: the order of the parts and the control tokens, by the model's name. Pure.

The formats come from the models' own pages and files: Qwen2.5-Coder, Qwen3-Coder, Codestral, StarCoder2, Code Llama,
DeepSeek-Coder, CodeGemma, Granite and Seed-Coder.
"""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct


class ContextFile(Struct, frozen=True):
    """Excerpt of another file for the prompt."""

    path: str
    """Name of the file for the model, relative to the project."""
    text: str


Render = Callable[[str, str, Sequence[ContextFile], str], str]
"""Function from the prefix, the suffix, the other files and the document's path to the prompt."""


class PromptFormat(Struct, frozen=True):
    """Format of the prompts of one family of models."""

    name: str
    models: re.Pattern[str]
    """Pattern that finds the family in a model's name in lower case."""
    render: Render
    stops: tuple[str, ...]
    """Texts at which the server ends the answer."""


def _plain_files(files: Sequence[ContextFile]) -> str:
    return "".join(f"{file.text}\n" for file in files)


def _qwen(prefix: str, suffix: str, files: Sequence[ContextFile], path: str) -> str:
    """Return the prompt with the repository form if other files come along: the README of Qwen2.5-Coder."""
    middle = f"<|fim_prefix|>{prefix}<|fim_suffix|>{suffix}<|fim_middle|>"
    if not files:
        return middle
    others = "".join(f"<|file_sep|>{file.path}\n{file.text}\n" for file in files)
    return f"<|repo_name|>project\n{others}<|file_sep|>{path}\n{middle}"


def _three_tokens(prefix: str, suffix: str, files: Sequence[ContextFile], _path: str) -> str:
    return f"<|fim_prefix|>{_plain_files(files)}{prefix}<|fim_suffix|>{suffix}<|fim_middle|>"


def _codestral(prefix: str, suffix: str, files: Sequence[ContextFile], path: str) -> str:
    others = "".join(f"+++++ {file.path}\n{file.text}\n" for file in files)
    own = f"+++++ {path}\n" if files else ""
    return f"[SUFFIX]{suffix}[PREFIX]{others}{own}{prefix}"


def _starcoder(prefix: str, suffix: str, files: Sequence[ContextFile], _path: str) -> str:
    others = "".join(f"<file_sep>{file.text}" for file in files)
    start = f"{others}<file_sep>" if files else ""
    return f"{start}<fim_prefix>{prefix}<fim_suffix>{suffix}<fim_middle>"


def _code_llama(prefix: str, suffix: str, files: Sequence[ContextFile], _path: str) -> str:
    return f"<PRE> {_plain_files(files)}{prefix} <SUF>{suffix} <MID>"


def _deepseek(prefix: str, suffix: str, files: Sequence[ContextFile], _path: str) -> str:
    return f"<｜fim▁begin｜>{_plain_files(files)}{prefix}<｜fim▁hole｜>{suffix}<｜fim▁end｜>"


def _seed(prefix: str, suffix: str, files: Sequence[ContextFile], _path: str) -> str:
    return f"<[fim-suffix]>{suffix}<[fim-prefix]>{_plain_files(files)}{prefix}<[fim-middle]>"


_QWEN_STOPS = (
    *("<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|fim_pad|>"),
    *("<|repo_name|>", "<|file_sep|>", "<|im_start|>", "<|im_end|>"),
)

FORMATS = (
    PromptFormat("qwen", re.compile(r"qwen.?(?:2\.5|3)?[-_.]?coder|codeqwen"), _qwen, _QWEN_STOPS),
    PromptFormat("codestral", re.compile(r"codestral"), _codestral, ("[PREFIX]", "[SUFFIX]", "\n+++++ ")),
    PromptFormat("starcoder2", re.compile(r"starcoder"), _starcoder, ("<file_sep>", "<|endoftext|>")),
    PromptFormat("codellama", re.compile(r"code-?llama"), _code_llama, ("<EOT>",)),
    PromptFormat(
        "deepseek-coder",
        re.compile(r"deepseek-?coder"),
        _deepseek,
        ("<｜end▁of▁sentence｜>",),
    ),
    PromptFormat(
        "codegemma",
        re.compile(r"code-?gemma"),
        _three_tokens,
        ("<|file_separator|>", "<end_of_turn>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    ),
    PromptFormat("granite", re.compile(r"granite"), _three_tokens, ("<|end_of_text|>",)),
    PromptFormat("seed-coder", re.compile(r"seed-?coder"), _seed, ("<[end▁of▁sentence]>",)),
)
"""Formats in the order in which a model's name is looked up."""

_CONTROL_TOKEN = re.compile(
    r"<\|[a-z_]{2,30}\|>|<｜[^｜\n]{1,40}｜>|<\[(?:fim-|end)[^\]\n]{1,30}\]>"
    r"|<(?:fim_prefix|fim_suffix|fim_middle|fim_pad|file_sep|repo_name|reponame|filename|gh_stars|end_of_turn"
    r"|start_of_turn|bos|eos|pad|unk|PRE|SUF|MID|EOT)>"
    r"|\[/?(?:PREFIX|SUFFIX|MIDDLE|INST|TOOL_CALLS|AVAILABLE_TOOLS)\]|</?s>|<<SYS>>|^\+{5} |<FILL_HERE>",
    re.MULTILINE,
)
"""Control tokens of all formats. A server may read such a text of a file as a control token, so that the file could
change the prompt's structure."""


def format_of(model: str) -> PromptFormat | None:
    """Return the format of the model by the model's name, or None for a model without a known format."""
    name = model.rpartition("/")[2].lower()
    return next((prompt_format for prompt_format in FORMATS if prompt_format.models.search(name)), None)


def control_token_in(text: str) -> str | None:
    """Return the first control token of any format in the text, or None."""
    found = _CONTROL_TOKEN.search(text)
    return found[0] if found is not None else None


def without_control_tokens(answer: str) -> str:
    """Return the answer of a model up to the first control token."""
    found = _CONTROL_TOKEN.search(answer)
    return answer if found is None else answer[: found.start()]
