"""One server for the suites of a file, so that files can be run beside each other."""

from collections.abc import Iterator

import pytest

from vscode_support.code_server import CodeServer
from vscode_support.windows import open_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    with open_server(tmp_path_factory.mktemp("vscode")) as server:
        yield server
