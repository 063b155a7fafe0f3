"""Templates of a worktree, which nothing leads out of."""

import os

from ..instructions._files import Uncounted, bytes_of, opened
from ._text import MAX_TEMPLATE, PromptError, checked


def read_inside(directory: str, path: str) -> str | None:
    """Reads a template below a directory; None when there is no such file."""
    what = f"the template {path} of the worktree"
    root = _root_of(directory)
    try:
        target = os.path.realpath(os.path.join(root, path), strict=True)
    except (FileNotFoundError, NotADirectoryError) as error:
        segments = path.split("/")
        places = [os.path.join(root, *segments[: at + 1]) for at in range(len(segments))]
        if any(os.path.lexists(place) and not os.path.exists(place) for place in places):
            raise PromptError(f"{what} is refused: it, or a directory above it, is a symbolic link to nothing") from error
        return None
    except OSError as error:
        raise PromptError(f"{what} is refused: it cannot be read: {error.strerror}") from error
    inside = os.path.relpath(target, root)
    if inside == "." or inside.split("/")[0] == "..":
        raise PromptError(f"{what} is refused: it leads out of the worktree; put the file itself into it")
    # Some file systems know `.git` in any case.
    if ".git" in inside.lower().split("/"):
        raise PromptError(f"{what} is refused: it leads into `.git`, and what is there was not committed; put the file elsewhere")
    try:
        with opened(root, inside) as file:
            content = bytes_of(file, MAX_TEMPLATE + 1)
    except (OSError, Uncounted) as error:
        why = f"is {error}" if isinstance(error, Uncounted) else f"cannot be read: {error.strerror}"
        raise PromptError(f"{what} is refused: it {why}") from error
    return checked(content, what)


def _root_of(directory: str) -> str:
    try:
        root = os.path.realpath(directory, strict=True)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", error)
        raise PromptError(f"the worktree {directory} cannot be read: {why}; give another") from error
    if not os.path.isdir(root):
        raise PromptError(f"the worktree {directory} is no directory; give another")
    return root
