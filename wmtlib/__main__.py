import sys

from wmtlib.yours.cli import main

sys.exit(main())
