"""Size of the context that Placet asks of Ollama, by the model, the machine's memory, and what is loaded."""

from typing import Any

import msgspec

from corpus_support import corpus
from model_support.ollama_server import QWEN
from placet.model.host.catalog.served_sizes import LoadedModels, ShownModel, memory_bytes, of_ollama

GB = 1 << 30


def llama(**more: Any) -> dict[str, Any]:
    """Facts of a model with 131,072 bytes of cache for a token: 32 layers, 8 heads of 128 values, keys and values."""
    facts = {"context_length": 131_072, "block_count": 32, "embedding_length": 4096, **more}
    facts |= {"attention.head_count": 32, "attention.head_count_kv": 8}
    return {"general.architecture": "llama", **{f"llama.{name}": value for name, value in facts.items()}}


@corpus(
    ("model_info", "memory", "size"),
    [
        (llama(), 64 * GB, 32_768),
        (llama(), 16 * GB, 32_768),
        (llama(), 16 * GB - 1, 16_384),
        (llama(), 8 * GB, 16_384),
        (llama(), 4 * GB, 8192),
        (llama(), 1 * GB, 4096),
        (llama(), None, 16_384),
        (llama(context_length=8192), 64 * GB, 8192),
        (llama(context_length=2048), 1 * GB, 2048),
        (QWEN, 64 * GB, 32_768),
        (QWEN, 16 * GB, 16_384),
        ({"general.architecture": "mamba", "mamba.context_length": 100_000}, 64 * GB, 16_384),
        ({**llama(), "llama.attention.head_count_kv": [0, 8, 0, 8]}, 8 * GB, 16_384),
        ({"general.architecture": "llama", "llama.context_length": "many"}, 64 * GB, None),
        ({}, 64 * GB, None),
    ],
)
def test_the_size_fits_the_model_and_a_quarter_of_the_memory(
    model_info: dict[str, Any], memory: int | None, size: int | None
) -> None:
    assert of_ollama(ShownModel(model_info=model_info), 0, memory).tokens == size


def test_the_size_in_the_models_own_file_is_the_users_choice() -> None:
    shown = ShownModel(model_info=llama(), parameters='stop    "<|end|>"\nnum_ctx                        12000\n')

    found = of_ollama(shown, 4096, 64 * GB)

    assert (found.tokens, found.source) == (12_000, "set in the model's file")


def test_a_model_that_is_loaded_with_more_stays_as_it_is() -> None:
    assert of_ollama(ShownModel(model_info=llama()), 65_536, 64 * GB).tokens == 65_536
    assert of_ollama(ShownModel(model_info=llama()), 4096, 64 * GB).tokens == 32_768


def test_after_an_answer_the_loaded_size_is_all_there_is() -> None:
    found = of_ollama(ShownModel(model_info=llama()), 4096, 64 * GB, is_asked=True)

    assert (found.tokens, found.source) == (4096, "loaded in Ollama")


def test_a_model_that_runs_elsewhere_has_its_own_size() -> None:
    shown = ShownModel(model_info=llama(), remote_host="https://ollama.example")

    assert of_ollama(shown, 0, 1 * GB).tokens == 131_072


def test_a_loaded_model_is_found_by_its_name_with_and_without_the_usual_tag() -> None:
    loaded = msgspec.convert({"models": [{"name": "qwen3:latest", "context_length": 9000}]}, LoadedModels)

    assert (loaded.size_of("qwen3"), loaded.size_of("qwen3:latest"), loaded.size_of("qwen")) == (9000, 9000, 0)


def test_the_memory_of_this_machine_is_known() -> None:
    assert (memory_bytes() or 0) > GB // 4
