"""Files below one root, which nothing leads out of: each directory is opened below the one before it, never through a link."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

SKIPPED = (".git", "node_modules", ".venv", "venv", "dist", "build", "target", ".next", ".cache", "__pycache__")
"""Directories that are looked into nowhere."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class Uncounted(Exception):
    """Why a file does not count, as the rest of a sentence."""


@contextmanager
def folder_at(root: str, path: str) -> Iterator[int]:
    """The directory of a path below a root, open, reached without following a link."""
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in path.split("/"):
            if name:
                below = os.open(name, _FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened(root: str, path: str) -> Iterator[int]:
    """The regular file of a path without links, open, without waiting."""
    folder, _, name = path.rpartition("/")
    with folder_at(root, folder) as above:
        descriptor = os.open(name, _FILE, dir_fd=above)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Uncounted("no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def bytes_of(descriptor: int, most: int) -> bytes:
    """At most so many bytes from the beginning."""
    parts: list[bytes] = []
    while most > 0 and (part := os.read(descriptor, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def counted(root: str, path: str) -> str:
    """The path of the file that counts: itself, or what it is a link to, inside of the root and of no skipped directory."""
    folder, _, name = path.rpartition("/")
    with folder_at(root, folder) as above:
        mode = os.stat(name, dir_fd=above, follow_symlinks=False).st_mode
    if stat.S_ISREG(mode):
        return path
    if not stat.S_ISLNK(mode):
        raise Uncounted("neither a file nor a directory")
    try:
        target = os.path.realpath(os.path.join(root, path), strict=True)
    except FileNotFoundError as error:
        raise Uncounted("a symbolic link to nothing") from error
    except OSError as error:
        raise Uncounted(f"a symbolic link that cannot be followed: {error.strerror}") from error
    inside = os.path.relpath(target, root)
    if inside == ".":
        raise Uncounted("a symbolic link to what is no file")
    if inside.split("/")[0] == "..":
        raise Uncounted("a symbolic link that leads out of the directory")
    if any(segment in SKIPPED for segment in inside.split("/")):
        raise Uncounted("a symbolic link into a directory that is skipped")
    if not stat.S_ISREG(os.lstat(target).st_mode):
        raise Uncounted("a symbolic link to what is no file")
    return inside


def gitignore_of(root: str, folder: str) -> str | None:
    """The text of the `.gitignore` of a directory; None when there is none that is a regular file."""
    try:
        with opened(root, f"{folder}.gitignore") as file:
            return bytes_of(file, 1 << 20).decode(errors="replace")
    except (OSError, Uncounted):
        return None
