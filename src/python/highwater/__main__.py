"""`python -m highwater`: the command line."""

import subprocess
import sys

from ._engine import program

if __name__ == "__main__":
    sys.exit(subprocess.call([program(), *sys.argv[1:]]))
