"""Ask the user, and wait for the answer."""

from collections.abc import Sequence

from pydantic import Field

from placet.core import ports
from placet.text.counted import counted
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.texts import text_for

MAX_HEADER = 30


class Option(Arguments):
    label: str = Field(min_length=1, description="The choice in one to five words.")
    description: str = Field(default="", description="What it means to choose it.")


class Question(Arguments):
    question: str = Field(min_length=1, description="The whole question.")
    header: str = Field(default="", description=f"A label of at most {MAX_HEADER} characters.")
    options: tuple[Option, ...] = Field(default=(), description="The choices. The user may also answer in other words.")
    multiple: bool = Field(default=False, description="Whether several may be chosen.")


class QuestionArguments(Arguments):
    questions: tuple[Question, ...] = Field(min_length=1, description="The questions, asked together.")


async def execute(arguments: QuestionArguments, context: ToolContext) -> ToolResult:
    asked = arguments.questions
    title = f"Asked {counted(len(asked), 'question')}"
    context.metadata(title=title, metadata={"questions": [question.question for question in asked]})
    answers = await context.session.ask_user([_as_shown(question) for question in asked])
    pairs = "\n".join(
        f'"{question.question}"="{_in_words(answer)}"' for question, answer in zip(asked, answers, strict=True)
    )
    return ToolResult(
        title=title,
        output=f"The user answered:\n{pairs}\n\nGo on with these answers in mind.",
        metadata={"questions": [question.question for question in asked], "answers": answers},
    )


def _as_shown(question: Question) -> ports.Question:
    options = tuple(ports.QuestionOption(option.label, option.description) for option in question.options)
    header = question.header or question.question
    if len(header) > MAX_HEADER:
        header = f"{header[: MAX_HEADER - 1]}…"
    return ports.Question(header, question.question, options, multiple=question.multiple)


def _in_words(answer: Sequence[str]) -> str:
    return ", ".join(words for words in answer if words.strip()) or "Unanswered"


FACTS = ToolFacts("question", order=20, rule="allow", is_prose=True)
TOOL = define_tool(FACTS.name, Definition(text_for("question"), QuestionArguments, execute))
