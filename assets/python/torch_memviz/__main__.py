"""python -m torch_memviz: the memviz command, even if its folder is not on the PATH."""

import subprocess
import sys

from ._command import program

if __name__ == "__main__":
    sys.exit(subprocess.call([program(), *sys.argv[1:]]))
