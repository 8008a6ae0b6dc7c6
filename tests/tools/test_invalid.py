import pytest

from placet.core.errors import InvalidArguments
from placet.tools.invalid import TOOL
from tools_support.workbench import Workbench


async def test_it_fails_with_the_reason_it_was_given(bench: Workbench) -> None:
    with pytest.raises(InvalidArguments, match=r"^There is no tool `sing`\.$"):
        await bench.run(TOOL, tool="sing", error="There is no tool `sing`.")
