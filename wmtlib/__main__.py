import sys

from wmtlib.cli import main

sys.exit(main())
