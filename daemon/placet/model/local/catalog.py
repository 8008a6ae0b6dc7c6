"""Models that Placet can fetch and run itself. A table of facts; the sum decides about a file, and not the source."""

from collections.abc import Mapping

from msgspec import Struct

from placet.settings.provider_kinds import LOCAL


class LocalModel(Struct, frozen=True):
    """Model in a single file of the form GGUF: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md."""

    name: str
    """Name after `local/`, and the file's name without the ending."""
    title: str
    """Name that the makers give to the model."""
    address: str
    """Address of the file on the makers' own page."""
    size_bytes: int
    sha256: str
    license: str
    license_address: str
    trained_size: int
    """Size of the context, in tokens, with which the model was trained."""
    cache_bytes_per_token: int
    """Bytes that a token of the context takes in memory: layers x heads of keys and values x their length x 2 bytes."""
    abilities: str
    """Abilities and limits of the model, in a sentence for the user."""

    @property
    def full_name(self) -> str:
        """Return the name for the setting `model`."""
        return f"{LOCAL}/{self.name}"

    @property
    def file_name(self) -> str:
        return f"{self.name}.gguf"


_QWEN = "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"

MODELS = (
    LocalModel(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)",
        address=f"{_QWEN}/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size_bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        license="Apache-2.0",
        license_address=f"{_QWEN}/blob/main/LICENSE",
        trained_size=32_768,
        cache_bytes_per_token=28 * 2 * 128 * 2 * 2,
        abilities=(
            "It answers questions about code and makes small changes in short files; it often fails at work over "
            "several files, so read each change before you accept the change."
        ),
    ),
)
BY_NAME: Mapping[str, LocalModel] = {model.name: model for model in MODELS}


def model_of(full_name: str) -> LocalModel | None:
    """Return the model of the name `local/NAME`, or None for any other name."""
    provider, _, name = full_name.partition("/")
    return BY_NAME.get(name) if provider == LOCAL else None


def size_text(size_bytes: int) -> str:
    """Return the size in words; a gigabyte has 1,000,000,000 bytes."""
    return f"{size_bytes / 1e9:.1f} GB" if size_bytes >= 10**9 else f"{size_bytes / 1e6:.0f} MB"
