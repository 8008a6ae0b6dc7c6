import subprocess
import sys

PROGRAM = """
import sys
from placet.core.pydantic_plugins import leave_out
leave_out()
from placet.core.messages import Tokens
assert Tokens.model_validate({"cacheRead": 1}).cache_read == 1
print("importlib.metadata" in sys.modules)
"""


def test_pydantic_without_its_loader_of_plugins_reads_no_metadata_of_packages() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
