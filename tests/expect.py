#!/usr/bin/env python3
"""A command that must end with status 0 and print a text.

Usage: expect.py TEXT COMMAND [ARGUMENT…]
"""
import sys

from harness.command import Command

sys.exit(Command(sys.argv[2:], expect=sys.argv[1]).follow())
