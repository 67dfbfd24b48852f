"""Rankings of systems from people's judgements: your own files, public campaigns, and the study."""

import gc
import os
import sys
from collections.abc import Sequence

from wmtlib.yours.cli.options import WrongOptions, parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; bad input gets one line on stderr and exit code 2, Ctrl-C one and 130."""
    gc.set_threshold(50_000)  # loading modules makes many objects and no garbage
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("wmtlib: interrupted", file=sys.stderr)
        return 130


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    try:
        options, unknown = parser(__doc__.partition("\n")[0]).parse_known_args(arguments)
        if unknown:
            where = f"wmtlib {options.command} --help"
            raise WrongOptions(f"unrecognized arguments: {' '.join(unknown)} (see {where})")
    except WrongOptions as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2
    from wmtlib.errors import DataError

    try:
        code = options.run(options)
        sys.stdout.flush()
    except DataError as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
