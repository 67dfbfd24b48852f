import sys

from wmtlib.yours.cli.main import main

sys.exit(main())
