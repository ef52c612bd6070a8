# SPDX-License-Identifier: BSD-3-Clause
"""Files: read as a whole, and written beside and then put in place."""
import os
import stat
import tempfile

from .foreign import Refused


def read(path):
    """The bytes of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    except ValueError as error:  # no path at all
        raise Refused(f"{path}: {error}") from error


def refuse(path, is_ours, inputs, force):
    """Keep what an option that names a file to write must not touch."""
    if any(os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
        raise Refused(f"{path} is an input of this command: name another file")
    if force or not os.path.isfile(path) or os.path.getsize(path) == 0:
        return
    if not is_ours(path):
        raise Refused(f"{path} was not made by this program: name another file, or add "
                      "--force to replace it")


def put(path, data, is_ours=lambda path: True, inputs=(), force=False):
    """Write a file; it is the old one or the new one, never a part.

    data     bytes or text
    is_ours  is_ours(path): whether the file there may be replaced
    inputs   files that are never replaced
    force    replace every other file
    """
    try:
        if os.path.exists(path):
            refuse(path, is_ours, inputs, force)
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:  # a device or a pipe
                file.write(encoded(data))
        else:
            replace(os.path.realpath(path), data)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def encoded(data):
    return data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data


def mode_of(path):
    """The permissions of a file, or of a new one."""
    if os.path.isfile(path) and not os.path.islink(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def replace(path, data):
    """Put bytes or text there by a file beside it, which nobody else can have opened or
    made. A link is replaced, not followed."""
    mode = mode_of(path)
    number, beside = tempfile.mkstemp(prefix=os.path.basename(path)[:100] + ".",
                                      dir=os.path.dirname(path))
    try:
        with open(number, "wb") as file:
            file.write(encoded(data))
            os.fchmod(number, mode)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def has(path, text):
    """Whether a file has these bytes, by which its program knows it."""
    return text in read(path)
