"""Settings of the completion at the cursor."""

from typing import Literal

from pydantic import Field

from placet.settings.section import Section

CompletionMode = Literal["off", "ask", "auto"]


class CompletionSettings(Section):
    """Inline completion: a model writes ahead at the cursor (docs/COMPLETION.md). A project cannot set these settings,
    because the text around the cursor goes to the model.
    """

    model: str | None = Field(default=None, min_length=1)
    """Model as `provider/name`, best one with fill-in-the-middle, for example `ollama/qwen2.5-coder:1.5b-base`. Without
    a model no request is made.
    """
    mode: CompletionMode = "auto"
    """`auto`: suggestions come while you type. `ask`: a suggestion comes only on your key. `off`: no suggestions."""
    languages: dict[str, bool] = Field(default_factory=dict[str, bool])
    """Language ids of LSP switched on or off, for example `{"markdown": false}`; `*` stands for all other languages."""
    exclude: tuple[str, ...] = ()
    """Files without suggestions, as paths relative to the project: `*` is any text, `**/` any folders."""
