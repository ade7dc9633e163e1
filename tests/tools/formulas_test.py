#!/usr/bin/env python3
"""A formula that `tutti predict` prints is the one that it computes: its text is read here, and
computed once more. Other tests compare it with the simulator, and a bound that is wrong may still
be one.

Usage: formulas_test.py PROGRAM
"""
import json
import math
import re
import subprocess
import sys

PROGRAM = sys.argv[1]
FEWEST = 80  # formulas that can be read: a program that prints none would pass
COLLECTIVES = ("barrier", "bcast", "reduce", "scatter", "gather", "allgather", "alltoall",
               "allreduce", "reduce_scatter")
REDUCE = 0.002  # combining, us per byte
TOKEN = re.compile(r"\s*(?:(\d+)|(log2|log_\{k\+1\}|ceil|floor|max|min|o_[sr]|[mn]_s|[A-Za-z]'?)"
                   r"|(.))")


class Unread(Exception):
    """Words for people, or a name that is not known here."""


class Gap(float):
    """g, and g(m) = g + (m-1)G."""
    per_byte = 0.0

    def __call__(self, size):
        return self + max(size - 1, 0) * self.per_byte


class Reader:
    """A formula's value. Factors that stand side by side are multiplied."""

    def __init__(self, text, names):
        text = re.sub(r"^T_m(in|ax) = ", "", text)
        self.tokens = [next(filter(None, found)) for found in TOKEN.findall(text)]
        self.at, self.names = 0, names

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted=""):
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise Unread(token)
        self.at += 1
        return token

    def whole(self):
        """The formula, and behind a comma the conditions, of which one may have another formula."""
        value = self.sum()
        if self.peek() not in ("", ",") or ";" in self.tokens or "or" in "".join(self.tokens):
            raise Unread(self.peek())
        return value

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.factor()
        while (token := self.peek()) and token not in "+-,;)}=<>":
            if token == "/":
                self.take()
                value /= self.factor()
                continue
            if token == "·":
                self.take()
            value *= self.factor()
        return value

    def several(self, begin, end):
        self.take(begin)
        values = [self.sum()]
        while self.peek() == ",":
            self.take()
            values.append(self.sum())
        self.take(end)
        return values

    def one(self):
        (value,) = self.several("(", ")")
        return value

    def factor(self):
        token = self.take()
        if token.isdigit():
            return int(token)
        if token == "(":
            self.at -= 1
            return self.one()
        if token in ("max", "min"):
            return (max if token == "max" else min)(self.several("{", "}"))
        if token == "ceil":
            return math.ceil(self.one() - 1e-9)
        if token == "floor":
            return math.floor(self.one() + 1e-9)
        if token.startswith("log"):
            return math.log(self.factor(), 2 if token == "log2" else self.names["k"] + 1)
        value = self.names.get(token)
        if value is None:
            raise Unread(token)
        if not callable(value) or (isinstance(value, Gap) and self.peek() != "("):
            return value
        return value(self.one())


def hockney(p):
    def time(size):
        return p["alpha"] + p["beta"] * size
    return {"a": p["alpha"], "b": p["beta"], "T": time}


def split_hockney(p):
    return {"a": p["alpha_s"] + p["alpha_r"], "b": p["beta_s"] + p["beta_r"],
            "S": lambda size: p["alpha_s"] + p["beta_s"] * size,
            "R": lambda size: p["alpha_r"] + p["beta_r"] * size}


def loggp(p):
    gap = Gap(p["g"])
    gap.per_byte = p.get("G", 0)
    way = p["o_s"] + p["L"] + p["o_r"]
    names = p | {"g": gap, "G": gap.per_byte, "L'": way,
                 "T": lambda size: way + max(size - 1, 0) * gap.per_byte}
    return names | ({"o": p["o_s"]} if p["o_s"] == p["o_r"] else {})


def logfp(p):
    def mean(end):
        least, most = p[f"o_{end}_min"], p[f"o_{end}_max"]
        return lambda messages: least + (most - least) / messages
    return p | {"o_s": mean("s"), "o_r": mean("r")}


MODELS = [
    ("hockney", {"alpha": 50, "beta": 0.01}, hockney),
    ("split-hockney", {"alpha_s": 20, "alpha_r": 30, "beta_s": 0.01, "beta_r": 0.03},
     split_hockney),
    ("logp", {"L": 31, "o_s": 7, "o_r": 7, "g": 11}, loggp),
    ("loggp", {"L": 31, "o_s": 7, "o_r": 7, "g": 11, "G": 0.013}, loggp),
    ("loggp", {"L": 31, "o_s": 5, "o_r": 8, "g": 11, "G": 0.013}, loggp),
    ("logfp", {"L": 31, "o_s_min": 3, "o_s_max": 7, "o_r_min": 2, "o_r_max": 5, "g": 11, "f": 3},
     logfp),
]


def printed(model, parameters, P, size):
    """Each formula that applies: where it stands, its text and its value."""
    values = ",".join(f"{name}={value}" for name, value in parameters.items())
    for collective in COLLECTIVES:
        done = subprocess.run(
            [PROGRAM, "predict", "--model", model, "--set", values, "--collective", collective,
             "-P", str(P), "-m", str(size), "--reduce-per-byte", str(REDUCE), "--json"],
            capture_output=True, text=True, check=True)
        for row in json.loads(done.stdout):
            for form in row["closed_forms"]:
                name = form["where"], collective, row["algorithm"], form["formula"]
                yield name, form["time_us"]


def main():
    read, left = set(), set()
    for model, parameters, names_of in MODELS:
        for P, size in ((2, 64), (5, 96), (8, 64), (16, 4096)):
            names = {"P": P, "p": P, "m": size, "s": size, "n": size, "m_s": size, "n_s": 1, "k": 1,
                     "d": 0, "c": REDUCE} | names_of(parameters)
            for form, time in printed(model, parameters, P, size):
                # For P that is no power of two, the papers say in words what they mean.
                if P == 5 and re.search(r"log2\([Pp]\)", form[-1]):
                    continue
                # Where TAU's message is all blocks together.
                together = form[1] == "scatter" or "of P blocks" in form[-1]
                most = P * size if together else size
                try:
                    value = Reader(form[-1], {"S": most} | names).whole()
                except Unread:
                    left.add(form)
                    continue
                read.add(form)
                assert abs(value - time) <= 1e-6 * max(value, time), \
                    f"{form} of {model} {parameters}, P = {P}, {size} bytes: {value}, not {time}"
    left -= read
    assert len(read) >= FEWEST, (len(read), left)
    print(f"{len(read)} formulas are what is computed; {len(left)} are not read")


main()
