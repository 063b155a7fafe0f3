"""Templates of a worktree, which nothing leads out of, and of a user's own library."""

import os
import re
import unicodedata
from typing import NamedTuple

from ..instructions._files import Uncounted, bytes_of, opened
from ._render import PromptError, is_blank

_MAX_TEMPLATE = 1 << 20
"""The most bytes of a template."""
_FENCE = re.compile(r"---[ \t]*\r?\n?")
_NEAR_FENCE = re.compile(r"---|\.\.\.[ \t]*\r?\n?\Z")


class LibraryFile(NamedTuple):
    """A file of a library, at its fences."""

    file: str
    frontmatter: str | None
    template: str


def _checked(content: bytes, what: str) -> str:
    """The text of a template."""
    if len(content) > _MAX_TEMPLATE:
        raise PromptError(f"{what} is refused: it has more than {_MAX_TEMPLATE} bytes")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise PromptError(f"{what} is refused: it is no UTF-8 text") from error
    if is_blank(text):
        raise PromptError(f"{what} is refused: it is blank")
    seen = "\t\r\n\u200c\u200d"
    if any(unicodedata.category(one) in ("Cc", "Cf", "Co", "Cn") for one in text.removeprefix("\ufeff") if one not in seen):
        raise PromptError(f"{what} is refused: it has characters that nobody sees")
    return text


def read_inside(directory: str, path: str) -> str | None:
    """Reads a template below a directory; None when there is no such file."""
    what = f"the template {path} of the worktree"
    root = os.path.realpath(directory, strict=True)
    place = os.path.join(root, path)
    try:
        target = os.path.realpath(place, strict=True)
    except (FileNotFoundError, NotADirectoryError) as error:
        if not os.path.lexists(place):
            return None
        raise PromptError(f"{what} is refused: it is a symbolic link to nothing") from error
    except OSError as error:
        raise PromptError(f"{what} is refused: {error.strerror}") from error
    inside = os.path.relpath(target, root)
    if inside == "." or inside.split("/")[0] == "..":
        raise PromptError(f"{what} is refused: it leads out of the worktree")
    try:
        with opened(root, inside) as file:
            return _checked(bytes_of(file, _MAX_TEMPLATE + 1), what)
    except (OSError, Uncounted) as error:
        raise PromptError(f"{what} is refused: {error}") from error


def files_of(directory: str) -> list[LibraryFile]:
    """The files of a library: what each is for, as it is written, and what it says. The server reads what it is for."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(".md") and not name.startswith("."))
    except OSError as error:
        raise PromptError(f"the library {directory} cannot be read: {error.strerror}") from error
    files = []
    for name in names:
        place, what = os.path.join(directory, name), f"the file {name} of your library"
        if not os.path.isfile(place):
            raise PromptError(f"{what} is no regular file")
        with open(place, "rb") as file:
            text = _checked(file.read(_MAX_TEMPLATE + 1), what)
        files.append(_split(text.removeprefix("\ufeff"), name))
    return files


def _split(text: str, file: str) -> LibraryFile:
    """A file at its fences. What looks like a fence is meant as one: to take it for text would take its restrictions away."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    first = next((line for line in lines if not is_blank(line)), "")
    frontmatter, template = None, text
    if first.lstrip().startswith("---"):
        end = next((at for at, line in enumerate(lines) if at > 0 and _NEAR_FENCE.match(line)), 0)
        begins = _FENCE.fullmatch(lines[0]) is not None
        if not begins or end == 0 or _FENCE.fullmatch(lines[end]) is None:
            line = end + 1 if begins else 1
            raise PromptError(f"the file {file} of your library is refused, line {line}: its frontmatter is not fenced by two lines `---`")
        frontmatter, template = "".join(lines[1:end]), "".join(lines[end + 1 :])
    if is_blank(template):
        raise PromptError(f"the file {file} of your library is refused: its template is blank")
    return LibraryFile(file, frontmatter, template)
