"""Imports from the daemon's texts alone: no path of a project is ever searched."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType


@dataclass(frozen=True, slots=True)
class GivenModule:
    path: str
    """Path of the file that the text was read from; for tracebacks and `__file__`."""
    text: str
    is_package: bool


class GivenModules(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finder and loader of given modules. Stands first among the finders, but only for the names of given modules."""

    def __init__(self, modules: Mapping[str, GivenModule]) -> None:
        self._modules = modules

    def install(self) -> None:
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        given = self._modules.get(fullname)
        if given is None:
            return None
        return importlib.util.spec_from_loader(
            fullname, self, origin=given.path, is_package=given.is_package
        ) or importlib.machinery.ModuleSpec(fullname, self)

    def is_package(self, fullname: str) -> bool:
        return self._modules[fullname].is_package

    def get_source(self, fullname: str) -> str:
        return self._modules[fullname].text

    def get_code(self, fullname: str) -> CodeType:
        given = self._modules[fullname]
        return compile(given.text, given.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._modules[module.__name__].path
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102 - of texts the user trusts
