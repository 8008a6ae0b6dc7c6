"""Faults that a module can be given, found in its syntax tree."""

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OTHER_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A piece of a module's text and the text that takes its place."""

    path: Path
    line: int
    start: int
    """Offset of the first byte in the file."""
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.old} -> {self.new}"

    def applied(self, source: bytes) -> bytes:
        """Return the module's text with the fault; the module has to be as it was when the fault was found."""
        assert source[self.start : self.end] == self.old.encode(), f"{self.path} has changed"
        return source[: self.start] + self.new.encode() + source[self.end :]


def picked(paths: Sequence[Path], count: int, seed: int) -> list[Fault]:
    """Return faults spread over all modules at random; the same seed picks the same faults of the same modules."""
    every = [fault for path in sorted(paths) for fault in faults_of(path, path.read_bytes())]
    return random.Random(seed).sample(every, count)


def faults_of(path: Path, source: bytes) -> Iterator[Fault]:
    """Yield each fault of the module whose text is still a module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(ast.parse(source)):
        for new in _replacements(node):
            assert isinstance(node, ast.expr | ast.stmt)
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            fault = Fault(path, node.lineno, start, end, source[start:end].decode(), new)
            if _is_module(fault.applied(source)):
                yield fault


def _replacements(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in _OPPOSITES:
            yield f"({ast.unparse(ast.Compare(left, [_OPPOSITES[type(operator)]()], [right]))})"
        case ast.BoolOp(operator, values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
        case ast.BinOp(left, operator, right) if type(operator) in _OTHER_OPERATORS and not _is_text(left, right):
            yield f"({ast.unparse(ast.BinOp(left, _OTHER_OPERATORS[type(operator)](), right))})"
        case ast.Constant(bool() as value):
            yield str(not value)
        case ast.Constant(int() as value):
            yield str(value + 1)
        case ast.IfExp(test, body, orelse):
            yield f"({ast.unparse(ast.IfExp(test, orelse, body))})"
        case ast.Return(ast.expr() as value) if ast.unparse(value) != "None":
            yield "return None"
        case ast.Expr(ast.Call() | ast.Await()):
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"
        case _:
            pass


def _is_text(*sides: ast.expr) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _is_module(source: bytes) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True
