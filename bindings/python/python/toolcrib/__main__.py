"""The `toolcrib` command, the same as the program of that name."""

from __future__ import annotations

import os
import signal
import sys

from ._toolcrib import run_command


def main() -> None:
    """Runs the command and ends the process."""
    # Python would only note a Ctrl-C, and look at it after the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = sys.argv[0]
    if os.path.basename(program) == "__main__.py":
        program = "toolcrib"
    sys.exit(run_command([os.path.abspath(program) if os.sep in program else program, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
