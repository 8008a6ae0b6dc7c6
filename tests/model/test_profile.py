"""The profile of a model where the user leaves the choice to Placet."""

from corpus_support import corpus
from placet.model.client.prompt_speed import PromptSpeed
from placet.model.profile import automatic_profile, billions, is_own_server

SIZES: list[tuple[str, float | None]] = [
    ("qwen2.5-coder-1.5b-instruct-q4_k_m", 1.5),
    ("Qwen2.5-Coder-0.5B-Instruct-Q8_0.gguf", 0.5),
    ("llama3.2:3b", 3),
    ("qwen3:8b", 8),
    ("gemma-3-270m-it", 0.27),
    ("smollm2:135m", 0.135),
    ("gemma3n:e4b", 4),
    ("mixtral-8x7b-instruct", 56),
    ("qwen3-coder-30b-a3b", 30),
    ("gpt-oss-20b", 20),
    ("llama-3.1-70B", 70),
    ("deepseek-r1:1.5b", 1.5),
    ("phi-4-mini", None),
    ("model.gguf", None),
    ("b7", None),
    ("claude-sonnet-4-5", None),
    ("web3basic", None),
]
CASES: list[tuple[str, int | None, bool, float | None, str]] = [
    ("qwen2.5-coder:1.5b", 32_768, True, None, "smallest"),
    ("llama3.2:3b", 131_072, True, None, "small"),
    ("qwen3:8b", 40_960, True, 900.0, "small"),
    ("qwen2.5-coder:14b", 32_768, True, None, "full"),
    ("qwen3-coder-30b-a3b", 262_144, True, 500.0, "full"),
    ("qwen3-coder-30b-a3b", 262_144, True, 72.0, "small"),
    ("qwen2.5-coder:32b", 4096, True, None, "small"),
    ("my-model", 8192, True, None, "small"),
    ("my-model", 16_000, True, None, "full"),
    ("my-model", None, True, None, "full"),
    ("my-model", None, True, 20.0, "small"),
    ("claude-haiku-4-5", 200_000, False, None, "full"),
    ("llama-3.1-8b-instant", 131_072, False, None, "full"),
    ("ministral-3b", 4096, False, 10.0, "full"),
]
SERVERS: list[tuple[str, str | None, bool]] = [
    ("ollama_chat", None, True),
    ("ollama_chat", "gpu.example.com", True),
    ("llamafile", None, True),
    ("openai", None, False),
    ("openai", "127.0.0.1", True),
    ("openai", "::1", True),
    ("openai", "localhost", True),
    ("openai", "workshop", True),
    ("openai", "192.168.1.20", True),
    ("openai", "ai.corp.example", False),
    ("openai", "8.8.8.8", False),
    ("anthropic", None, False),
]


@corpus("name, size", SIZES)
def test_the_size_is_read_from_the_name(name: str, size: float | None) -> None:
    assert billions(name) == size


@corpus("name, context, is_own, speed, profile", CASES)
def test_the_profile_follows_from_place_size_context_and_speed(
    name: str, context: int | None, is_own: bool, speed: float | None, profile: str
) -> None:
    used = automatic_profile(name, context, is_own_server=is_own, tokens_per_second=speed)

    assert used.profile == profile


@corpus("kind, host, is_own", SERVERS)
def test_a_server_of_ones_own_is_known_by_its_kind_or_its_address(kind: str, host: str | None, is_own: bool) -> None:
    assert is_own_server(kind, host) == is_own


def test_each_reason_names_the_fact_that_decides() -> None:
    def reason(name: str, context: int | None = None, speed: float | None = None) -> str:
        return automatic_profile(name, context, is_own_server=True, tokens_per_second=speed).reason

    assert reason("gemma-3-270m-it") == "its name says 270 million parameters"
    assert reason("qwen3:8b") == "its name says 8 billion parameters"
    assert reason("m", 4096) == "its context has 4,096 tokens"
    assert reason("m", None, 20.4) == "it reads 20 tokens a second"


def test_the_fastest_of_the_long_prompts_is_the_speed() -> None:
    speed = PromptSpeed()
    speed.note(100, 0.001)  # Too short to say anything.
    assert speed.tokens_per_second is None
    speed.note(7000, 100.0)
    speed.note(7000, 20.0)
    speed.note(7000, 50.0)
    assert speed.tokens_per_second == 350.0
