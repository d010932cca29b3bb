"""The gfncp process behind the package. Each request and answer is a line of JSON, with arrays in base64."""

import atexit
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
import threading

import numpy as np

PROTOCOL = 6


class GFNCPError(RuntimeError):
    """The gfncp program is missing, has ended, or has failed."""


class InputError(ValueError):
    """The program refuses the points or the parameters; the message says what to mend."""


class GFNCPWarning(UserWarning):
    """What may make a clustering unreliable."""


def program() -> str:
    """The path of the gfncp program: GFNCP_BIN, else that of this package's wheel, else gfncp on the PATH, else
    bin/gfncp of the checkout around this file."""
    named = os.environ.get("GFNCP_BIN")
    if named:
        found = shutil.which(named)
        if not found:
            raise GFNCPError(f"GFNCP_BIN is {named!r}, but no program is there")
        return found
    package = pathlib.Path(__file__).resolve().parent
    wheel = [sysconfig.get_path("scripts"), str(package.parent / "bin")]  # the latter after pip install --target
    for folders in (os.pathsep.join(wheel), None, str(package.parents[1] / "bin")):
        found = shutil.which("gfncp", path=folders)
        if found:
            return found
    raise GFNCPError(
        "there is no program gfncp: install the wheel of your system, which holds it, put it on the PATH, build it with "
        "`just build` in the checkout, or name it in the environment variable GFNCP_BIN"
    )


class Process:
    """One `gfncp serve --stdio`, started with the first request, and again after it has ended."""

    def __init__(self):
        self._lock = threading.RLock()
        self._child = None
        self._sent = 0  # requests, whose numbers answers repeat

    def request(self, op, arrays=None, **fields):
        """Send one request; return the answer's result and its arrays by name."""
        with self._lock:
            try:
                self._start()
                return self._exchange(op, arrays or {}, fields)
            except InputError:
                raise
            except BaseException as error:  # the pipes may stand in the middle of an answer
                status = self._kill()
                if isinstance(error, (OSError, EOFError)):
                    raise GFNCPError(f"the gfncp process has ended with status {status}; what it said is on stderr")
                raise

    def _exchange(self, op, arrays, fields):
        self._sent += 1
        packed = {name: _packed(values) for name, values in arrays.items()}
        request = {"id": self._sent, "op": op, **fields, "arrays": packed}
        self._child.stdin.write(json.dumps(request).encode() + b"\n")
        self._child.stdin.flush()
        answer = self._answer()
        if answer["id"] != self._sent:
            raise GFNCPError(f"the gfncp process answers request {answer['id']}, not {self._sent}; another one is started")
        if answer["ok"]:
            return answer["result"], {name: _unpacked(array) for name, array in answer.get("arrays", {}).items()}
        fault = answer["error"]
        raise {"input": InputError}.get(fault["kind"], GFNCPError)(fault["message"])

    def _answer(self):
        """The next line that is not empty. An empty one comes each second, so that Ctrl-C is seen: after polars is
        imported, a read goes on after Ctrl-C."""
        line = b"\n"
        while line == b"\n":
            line = self._child.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return json.loads(line)

    def _start(self):
        if self._child is not None and self._child.poll() is None:
            return
        self._forget()
        self._child = subprocess.Popen(
            [program(), "serve", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for Python, which then ends it
        )
        hello, _ = self._exchange("hello", {}, {})
        if hello["protocol"] != PROTOCOL:
            raise GFNCPError(
                f"{program()} speaks version {hello['protocol']} of the protocol, and this package {PROTOCOL}: "
                "use those of one version"
            )

    def _forget(self):
        child, self._child = self._child, None
        if child is not None:
            child.stdin.raw.close()  # what is left in its buffer has nowhere to go
            child.stdout.close()
        return child

    def _kill(self):
        child = self._forget()
        if child is None:
            return None
        child.kill()
        return child.wait()

    def after_fork(self):
        """In a forked process: the pipes are its parent's, and the lock may be held by a thread that is not here."""
        child = self._forget()
        if child is not None:
            child.returncode = 0  # not ours to wait for
        self.__init__()

    def close(self):
        """End the process: its input ends. If another thread waits for an answer, that thread gets a GFNCPError."""
        if not self._lock.acquire(blocking=False):
            child = self._child
            if child is not None:
                child.kill()  # the other thread sees the end of its answers
            return
        try:
            child = self._forget()
            if child is not None:
                child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        finally:
            self._lock.release()


def _packed(values):
    dtype = values.dtype.newbyteorder("<").str
    data = np.ascontiguousarray(values, dtype=dtype).data.cast("B")
    return {"dtype": dtype, "shape": values.shape, "data": base64.b64encode(data).decode()}


def _unpacked(array):
    data = base64.b64decode(array["data"])
    return np.frombuffer(data, array["dtype"]).reshape(array["shape"]).copy()


process = Process()


def close():
    """End the gfncp process, also if another thread waits for it; the next call starts another."""
    process.close()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=process.after_fork)
