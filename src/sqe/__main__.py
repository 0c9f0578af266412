"""`python -m sqe` is the command `sqe`."""

import sys

from sqe.cli.main import sqe

sys.exit(sqe())
