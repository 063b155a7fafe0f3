"""A user's own library: a directory of templates, one a file. Links in it are followed, since it is the user's own."""

import os
import re
import stat
from typing import NamedTuple

from ..instructions._files import bytes_of
from ._text import MAX_TEMPLATE, PromptError, checked, is_blank

_MAX_FILES = 200
"""The most files of a library."""
_HEAD = 10
"""The first lines of a template, blank ones apart, in which a selector is looked for that was meant as frontmatter."""
_FENCE = re.compile(r"---[ \t]*\r?\n?")
_NEAR_FENCE = re.compile(r"---|\.\.\.[ \t]*\r?\n?\Z")
_SELECTOR = re.compile(r"""^["']?(workflows|repos|fields?)["']?[ \t]*:""", re.MULTILINE)
_LIKE_SELECTOR = re.compile(r"""["']?(workflows?|repos?|repository|repositories|fields?)["']?[ \t]*:""")
_LIKE_RULE = re.compile("[-+\u2010-\u2015\u2212\ufe58\ufe63\uff0d]{2,}")


class LibraryFile(NamedTuple):
    """A file of a library, at its fences."""

    file: str
    frontmatter: str | None
    template: str


def files_of(directory: str) -> list[LibraryFile]:
    """The files of a library: what each is for, as it is written, and what it says. The server reads what it is for."""
    files = []
    for name in _names_of(directory):
        try:
            content = _bytes_at(os.path.join(os.fsencode(directory), name.encode()))
        except OSError as error:
            raise _refused(name, f": it cannot be read: {error.strerror}") from error
        if content is None:
            raise _refused(name, ": it is no regular file")
        text = checked(content, f"the file {name} of your library")
        files.append(_split(text, name))
    return files


def _refused(file: str, why: str) -> PromptError:
    return PromptError(f"the file {file} of your library is refused{why}")


def _names_of(directory: str) -> list[str]:
    of = f"the library {directory}"
    names = []
    try:
        found = os.listdir(os.fsencode(directory))
    except (OSError, ValueError) as error:
        raise PromptError(f"{of} cannot be read: {getattr(error, 'strerror', error)}") from error
    for name in found:
        try:
            names.append(name.decode())
        except UnicodeDecodeError as error:
            raise PromptError(f"{of} has a file whose name is no text, {name.decode(errors='replace')}; rename it") from error
    templates = sorted(name for name in names if name.endswith(".md") and not name.startswith("."))
    if len(templates) > _MAX_FILES:
        raise PromptError(f"{of} has more than {_MAX_FILES} templates; move some away")
    return templates


def _bytes_at(place: bytes) -> bytes | None:
    """What a regular file has, without waiting for others; None when it is something else."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        return bytes_of(descriptor, MAX_TEMPLATE + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    finally:
        os.close(descriptor)


def _split(text: str, file: str) -> LibraryFile:
    """A file at its fences. What looks like a fence is meant as one: to take it for text would take its restrictions away."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    first = next((line for line in lines if line.strip()), "")
    below, frontmatter = 0, None
    if first.lstrip().startswith("---"):
        end = next((at for at, line in enumerate(lines) if at > 0 and _NEAR_FENCE.match(line)), 0)
        begins = _FENCE.fullmatch(lines[0]) is not None
        if not begins or end == 0 or _FENCE.fullmatch(lines[end]) is None:
            line = end + 1 if begins else 1
            raise _refused(file, f", line {line}: its frontmatter is not fenced by two lines `---`")
        below, frontmatter = end + 1, "".join(lines[1:end])
    template = "".join(lines[below:])
    if is_blank(template):
        raise _refused(file, ": its template is blank")
    misplaced = None if _SELECTOR.search(frontmatter or "") else _misplaced_in(lines[below:])
    if misplaced is not None:
        why = "this looks like frontmatter and stands where none is read; begin the file with `---` on its first line"
        raise _refused(file, f", line {below + misplaced + 1}: {why}")
    return LibraryFile(file, frontmatter, template)


def _misplaced_in(lines: list[str]) -> int | None:
    """The line of a template, from 0, that was meant as a selector.

    What is for one repository only must not be for every one because a fence was written wrongly. It is the first line or the
    second, or there is something like a fence beside it.
    """
    head = [(at, line.strip()) for at, line in enumerate(lines) if line.strip()][:_HEAD]
    place = next((place for place, (_, line) in enumerate(head) if _LIKE_SELECTOR.match(line)), None)
    if place is None or (place >= 2 and not any(_LIKE_RULE.fullmatch(line) for _, line in head)):
        return None
    return head[place][0]
