"""File of the pictures, and a change of the file."""

from neovim_support.review import hunk

OLD = '''"""Shapes and what they measure."""

from math import pi


def area(w, h):
    """The area of a box."""
    return w * h


def circle(radius):
    return pi * radius ** 2
'''
NEW = (
    OLD.replace("def area(w, h)", "def area(width, height)")
    .replace("w * h", "width * height")
    .replace("    return pi", '    """The area of a circle."""\n    return pi')
)
HUNKS = [
    hunk(1, 5, ["def area(w, h):\n"], 5, ["def area(width, height):\n"]),
    hunk(2, 7, ["    return w * h\n"], 7, ["    return width * height\n"]),
    hunk(3, 11, [], 11, ['    """The area of a circle."""\n']),
]
