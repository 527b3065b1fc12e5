"""``python -m agentsim`` is the command line."""

import sys

from agentsim.cli import main

sys.exit(main())
