"""Answer for a prompt beyond the rules: the refusal, the abilities of the rules, and the way to set a model."""

ABILITIES = (
    "`find NAME`, `who calls NAME`, `outline FILE`, `rename OLD to NEW`, `replace A by B in FILE`, `fix FILE` "
    "and `run the tests`"
)

HOW_TO_SET_A_MODEL = """\
For anything else, set a language model:

- the setting `model` in `placet.json` or in your editor, or the environment variable `PLACET_MODEL`, as \
`provider/name` in litellm's naming, for example `anthropic/…`, `openai/…` or `gemini/…`;
- the provider's key in its own variable: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GEMINI_API_KEY`, …;
- or a local one without a key: `"model": "ollama_chat/NAME"` with \
`"modelOptions": {"apiBase": "http://localhost:11434"}` (or `PLACET_API_BASE`)."""


def decline(prompt: str) -> str:
    """Return the refusal in a few lines, for any prompt."""
    start = "No model is set, and without one I cannot do that." if prompt else "No model is set."
    return f"{start} I can do {ABILITIES}.\n\n{HOW_TO_SET_A_MODEL}"
