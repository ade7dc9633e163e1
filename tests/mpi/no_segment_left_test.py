#!/usr/bin/env python3
"""The jobs that ran before have left no shared memory behind."""
import pathlib
import sys

sys.exit("\n".join(str(path) for path in pathlib.Path("/dev/shm").glob("tutti-*")) or 0)
