import pytest

from run_support import Place


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)
