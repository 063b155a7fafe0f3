"""Instruction catalogs: which instruction files a user and a project have for agents, and reading one of them.

The same as `vestry instructions` does, on this machine's files, without a server. It needs a system of the Unix kind.
"""

import hashlib
import heapq
import os
from typing import Any, Literal, NotRequired, TypedDict

from ._files import SKIPPED, Uncounted, bytes_of, counted, folder_at, gitignore_of, opened
from ._frontmatter import Frontmatter, head
from ._gitignore import Patterns

__all__ = ["Instruction", "InstructionCatalog", "InstructionError", "read_instruction", "scan_instructions"]

Level = Literal["user", "project"]

_MOST = 200
_HEAD = 64 << 10
_LARGEST = 1 << 20
_DEEPEST = 128


class InstructionError(Exception):
    """Why an instruction file is not read, in one sentence."""


class InstructionEntry(TypedDict):
    """An instruction file, without its text; `frontmatter_error` has `line` and `detail`."""

    level: Level
    path: str
    size: int
    frontmatter: Frontmatter | None
    frontmatter_error: NotRequired[dict[str, Any]]


class InstructionCatalog(TypedDict):
    """The instruction files, user level first, then by the bytes of their paths; `truncated` counts those beyond 200.

    `left_out` has `level`, `path` and `reason` of what is not listed, or holds what is not.
    """

    entries: list[InstructionEntry]
    truncated: NotRequired[int]
    left_out: NotRequired[list[dict[str, str]]]
    left_out_truncated: NotRequired[int]


class Instruction(TypedDict):
    """An instruction file with its text; without, when `already_loaded`. `changed` when the caller has something else."""

    level: Level
    path: str
    digest: str
    frontmatter: Frontmatter | None
    frontmatter_error: NotRequired[dict[str, Any]]
    body: NotRequired[str]
    already_loaded: bool
    changed: NotRequired[bool]


def scan_instructions(
    directory: str | os.PathLike[str], *, home: str | os.PathLike[str] | None | Literal["~/.claude"] = "~/.claude",
    gitignore: bool = False,
) -> InstructionCatalog:
    """Lists the instruction files of the user and of a directory. What cannot be read below is left out, and said.

    `home` is the directory of the user level, None for none; `~/.claude`, if there is one, when left out. `gitignore` skips
    what the `.gitignore` files of the project name.
    """
    files: _Smallest = _Smallest()
    left_out: _Smallest = _Smallest()
    roots: dict[Level, str] = {}
    levels: tuple[Level, Level] = ("user", "project")
    for level in levels:
        root = _root_of(level, directory, home)
        if root is not None:
            roots[level] = root
            _Walk(level, root, gitignore and level == "project", files, left_out).folder("", 0)
    entries = []
    for level, path in files.sorted():
        try:
            entries.append(_entry_of(level, roots[level], path))
        except (OSError, Uncounted) as error:
            left_out.push(level, path, "it is gone since it was found" if _is_missing(error) else _reason_of(error))
    catalog: InstructionCatalog = {"entries": entries}
    if files.more:
        catalog["truncated"] = files.more
    if left := left_out.sorted():
        catalog["left_out"] = [{"level": level, "path": path, "reason": reason} for level, path, reason in left]
    if left_out.more:
        catalog["left_out_truncated"] = left_out.more
    return catalog


def read_instruction(
    directory: str | os.PathLike[str], path: str, *, level: Level = "project", have: str | None = None,
    home: str | os.PathLike[str] | None | Literal["~/.claude"] = "~/.claude", gitignore: bool = False,
) -> Instruction:
    """Reads a file that the catalog lists, or would list after its first 200. `have` is the digest of what the caller has."""

    def unlisted(reason: str) -> InstructionError:
        return InstructionError(f"{path} is not listed at the {level} level: {reason}")

    root = _root_of(level, directory, home)
    folder, name = _split(path)
    folders = folder.split("/")[:-1]
    above = ["/".join(folders[: at + 1]) for at in range(len(folders))]
    is_odd = any(segment in ("", ".", "..") or "\0" in segment for segment in path.split("/"))
    is_closed = any(not _is_entered(level, *_split(folder)) for folder in above)
    if root is None or is_odd or is_closed or len(folders) > _DEEPEST or not _is_file(level, folder, name):
        raise unlisted("no file of this name is listed there")
    ignored = _Ignored(root, gitignore and level == "project")
    for one in ["", *(f"{folder}/" for folder in above)]:
        ignored.enter(one)
    if any(ignored.names(folder, True) for folder in above) or ignored.names(path, False):
        raise unlisted("a .gitignore file names it")
    try:
        place = counted(root, path)
    except (OSError, Uncounted) as error:
        raise unlisted("there is no such file" if _is_missing(error) else f"it is {_reason_of(error)}") from error
    if name == "AGENTS.md" and not ignored.names(f"{folder}CLAUDE.md", False) and _counts(root, f"{folder}CLAUDE.md"):
        raise unlisted("the CLAUDE.md beside it is listed in its place")
    try:
        with opened(root, place) as file:
            data = bytes_of(file, _LARGEST + 1)
    except (OSError, Uncounted) as error:
        raise unlisted("it is gone" if _is_missing(error) else f"it is {_reason_of(error)}") from error
    if len(data) > _LARGEST:
        raise InstructionError(f"{path} cannot be read: it has more than {_LARGEST} bytes; split it")
    said = head(data[:_HEAD], len(data) <= _HEAD)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise InstructionError(f"{path} cannot be read: it is no UTF-8 text; save it as UTF-8") from error
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    found: Instruction = {
        "level": level, "path": path, "digest": digest, "frontmatter": said.frontmatter, "already_loaded": have == digest,
    }
    if said.error:
        found["frontmatter_error"] = {"line": said.error.line, "detail": said.error.detail}
    if have != digest:
        found["body"] = data[said.body_offset :].decode()
        if have is not None:
            found["changed"] = True
    return found


def _root_of(level: Level, directory: str | os.PathLike[str], home: str | os.PathLike[str] | None) -> str | None:
    """The directory of a level, without links on the way; None where there is none."""
    if level == "project":
        return os.path.realpath(directory, strict=True)
    if home is None:
        return None
    if home == "~/.claude":
        place = os.path.expanduser(home)
        return os.path.realpath(place) if os.path.isdir(place) else None
    return os.path.realpath(home, strict=True)


def _is_file(level: Level, folder: str, name: str) -> bool:
    """Whether a file of this name in this directory (empty, or with `/` at its end) is an instruction file."""
    return name.endswith(".md") if level == "user" and folder else name in ("CLAUDE.md", "AGENTS.md")


def _is_entered(level: Level, folder: str, name: str) -> bool:
    """Whether a directory is looked into."""
    return (level == "project" or folder != "" or name == "rules") and name not in SKIPPED


def _split(path: str) -> tuple[str, str]:
    """The directory of a path, with `/` at its end unless empty, and the name in it."""
    at = path.rfind("/") + 1
    return path[:at], path[at:]


class _Ignored:
    """The patterns of the directories from the root to where the search is, each with the length of its directory's path."""

    def __init__(self, root: str, is_asked: bool) -> None:
        self._root, self._is_asked = root, is_asked
        self._patterns: list[tuple[int, Patterns]] = []

    def enter(self, folder: str) -> bool:
        text = gitignore_of(self._root, folder) if self._is_asked else None
        if text is not None:
            self._patterns.append((len(folder), Patterns(text)))
        return text is not None

    def leave(self) -> None:
        self._patterns.pop()

    def names(self, path: str, is_folder: bool) -> bool:
        for length, patterns in reversed(self._patterns):
            said = patterns.names(path[length:], is_folder)
            if said is not None:
                return said
        return False


class _Smallest:
    """The smallest 200 of what is put in, user level first, then by bytes, and how many others there were."""

    def __init__(self) -> None:
        self.more = 0
        self._kept: list[tuple[Any, ...]] = []

    def push(self, *item: str) -> None:
        self._kept.append(item)
        if len(self._kept) >= 4 * _MOST:
            self._cut()

    def sorted(self) -> list[tuple[Any, ...]]:
        self._cut()
        return self._kept

    def _cut(self) -> None:
        kept = heapq.nsmallest(_MOST, self._kept, key=lambda item: (item[0] != "user", [text.encode() for text in item[1:]]))
        self.more += len(self._kept) - len(kept)
        self._kept = kept


class _Walk:
    """A walk through one root."""

    def __init__(self, level: Level, root: str, gitignore: bool, files: _Smallest, left_out: _Smallest) -> None:
        self._level, self._root, self._files, self._left_out = level, root, files, left_out
        self._ignored = _Ignored(root, gitignore)

    def folder(self, folder: str, depth: int) -> None:
        level = self._level
        named: set[str] = set()
        below: list[str] = []
        try:
            with folder_at(self._root, folder) as descriptor, os.scandir(descriptor) as entries:
                has_patterns = self._ignored.enter(folder)
                for entry in entries:
                    name, is_folder = entry.name, entry.is_dir(follow_symlinks=False)
                    if not (_is_entered(level, folder, name) if is_folder else _is_file(level, folder, name)):
                        continue
                    try:
                        name.encode()
                    except UnicodeEncodeError:
                        shown = folder + os.fsencode(name).decode(errors="replace")
                        self._left_out.push(level, shown, "its name is no Unicode text; rename it")
                        continue
                    if self._ignored.names(folder + name, is_folder):
                        continue
                    if is_folder:
                        below.append(name)
                    elif name in ("CLAUDE.md", "AGENTS.md"):
                        named.add(name)
                    else:
                        self._take(folder + name)
        except (OSError, Uncounted) as error:
            if not _is_missing(error):
                self._left_out.push(level, folder[:-1] or ".", _reason_of(error))
            return
        for name in below:
            if depth >= _DEEPEST:
                self._left_out.push(level, folder + name, "it is too deep")
            else:
                self.folder(f"{folder}{name}/", depth + 1)
        if has_patterns:
            self._ignored.leave()
        is_hidden = "CLAUDE.md" in named and self._take(f"{folder}CLAUDE.md")
        if "AGENTS.md" in named and not is_hidden:
            self._take(f"{folder}AGENTS.md")

    def _take(self, path: str) -> bool:
        try:
            counted(self._root, path)
        except (OSError, Uncounted) as error:
            self._left_out.push(self._level, path, _reason_of(error))
            return False
        self._files.push(self._level, path)
        return True


def _entry_of(level: Level, root: str, path: str) -> InstructionEntry:
    with opened(root, counted(root, path)) as file:
        size, data = os.fstat(file).st_size, bytes_of(file, _HEAD + 1)
    said = head(data[:_HEAD], len(data) <= _HEAD)
    entry: InstructionEntry = {"level": level, "path": path, "size": size, "frontmatter": said.frontmatter}
    if said.error:
        entry["frontmatter_error"] = {"line": said.error.line, "detail": said.error.detail}
    return entry


def _counts(root: str, path: str) -> bool:
    try:
        return counted(root, path) is not None
    except (OSError, Uncounted):
        return False


def _is_missing(error: Exception) -> bool:
    return isinstance(error, FileNotFoundError | NotADirectoryError)


def _reason_of(error: Exception) -> str:
    return str(error) if isinstance(error, Uncounted) else f"cannot be read: {getattr(error, 'strerror', error)}"
