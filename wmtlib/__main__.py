import sys

from wmtlib.cli.main import main

sys.exit(main())
