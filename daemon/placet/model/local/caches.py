"""Files of models from other programs: Ollama, LM Studio and Hugging Face's tools. Reads names alone.

- Ollama names a blob by the SHA-256: https://github.com/ollama/ollama/blob/main/docs/faq.mdx.
- LM Studio keeps `MAKER/MODEL/FILE.gguf`: https://lmstudio.ai/docs/app/basics/import-model.
- Hugging Face names a blob by the SHA-256; the snapshots lead to the blob:
  https://huggingface.co/docs/huggingface_hub/guides/manage-cache.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from placet.model.local.catalog import LocalModel

_MOST_FILES = 10_000
"""Limit of the entries of a directory."""


def candidates(model: LocalModel, environment: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path]]:
    """Yield the program and the path of each file with the model's exact size; the caller checks the sum."""
    for program, path in _by_sum(model, environment, home):
        if _has_size(path, model.size_bytes):
            yield program, path
    for directory in _of_lm_studio(environment, home):
        for path in _ggufs(directory):
            if _has_size(path, model.size_bytes):
                yield "LM Studio", path


def _by_sum(model: LocalModel, environment: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path]]:
    set_by_user = environment.get("OLLAMA_MODELS")
    ollama = [Path(set_by_user)] if set_by_user else [home / ".ollama/models", Path("/usr/share/ollama/.ollama/models")]
    for directory in ollama:
        yield "Ollama", directory / "blobs" / f"sha256-{model.sha256}"
    hugging_face = Path(environment.get("HF_HOME") or _cache_home(environment, home) / "huggingface")
    hub = Path(environment.get("HF_HUB_CACHE") or hugging_face / "hub")
    for repository in _entries(hub):
        if repository.name.startswith("models--"):
            yield "Hugging Face", repository / "blobs" / model.sha256


def _of_lm_studio(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    return home / ".lmstudio/models", _cache_home(environment, home) / "lm-studio/models"


def _cache_home(environment: Mapping[str, str], home: Path) -> Path:
    return Path(environment.get("XDG_CACHE_HOME") or home / ".cache")


def _ggufs(directory: Path) -> Iterator[Path]:
    """Yield the files two levels below the directory: a directory for the maker, and a directory for the model."""
    for maker in _entries(directory):
        for model in _entries(maker):
            yield from (path for path in _entries(model) if path.suffix.lower() == ".gguf")


def _entries(directory: Path) -> list[Path]:
    try:
        with os.scandir(directory) as entries:
            return sorted(Path(entry.path) for entry, _ in zip(entries, range(_MOST_FILES), strict=False))
    except OSError:
        return []


def _has_size(path: Path, size_bytes: int) -> bool:
    try:
        return path.is_file() and path.stat().st_size == size_bytes
    except OSError:
        return False
