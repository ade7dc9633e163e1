#!/usr/bin/env python3
"""Every command of the program has a help, whose examples are of this command, and says which of
its options a misspelt one may be; texts fit a screen of 100 columns. In a job rank 0 alone prints
it.

Usage: help_test.py PROGRAM
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def help_of(*command):
    return subprocess.run([sys.argv[1], *command, "--help"], check=True, capture_output=True,
                          text=True).stdout


def refused(command, *words):
    done = subprocess.run([sys.argv[1], command, *words], capture_output=True, text=True)
    assert done.returncode == 2, (command, words, done)
    return done.stderr


def check_misspelt(command, text):
    """Each option, two letters of which are swapped."""
    names = set(re.findall(r"^  (?:-\w,)?--([\w-]{4,})", text, re.M))
    for name in names:
        wrong = name[:1] + name[2] + name[1] + name[3:]
        if name[1] != name[2]:
            said = refused(command, "--" + wrong, "1")
            assert f"there is no option --{wrong}; did you mean --{name}?" in said, said
    assert "there is no option --qqqqqq\n" in refused(command, "--qqqqqq") or command == "run"
    return len(names)


def check_files():
    """A picture's file has the same names in all commands that draw one."""
    call = ["-P", "4", "-m", "8,64"]
    boba = [*call, "--params", "boba"]
    with tempfile.TemporaryDirectory(prefix="tutti-help-") as folder:
        for command, words in (("draw", ["bcast", "-P", "4", "-m", "8"]),
                               ("predict", ["--collective", "bcast", *boba]),
                               ("tune", ["--method", "predicted", "--collective", "bcast", *boba])):
            for name in ("-o", "--output", "--svg"):
                file = pathlib.Path(folder, command + name)
                subprocess.run([sys.argv[1], command, *words, name, file], check=True,
                               capture_output=True)
                assert file.read_text().rstrip().endswith("</svg>"), (command, name)
        for command in ("bench", "measure", "tune", "predict", "draw"):
            assert re.search(r"^  -o,--output,--svg TEXT", help_of(command), re.M), help_of(command)


def output_of(*words):
    return subprocess.run([sys.argv[1], *words], check=True, capture_output=True,
                          text=True).stdout


def check_collectives():
    """The collective is a word or has its option, alike in all commands; several have commas."""
    boba = ["--params", "boba"]
    single = {"list": [], "verify": ["-P", "2,3"], "explain": ["-P", "2"], "draw": ["-P", "2"]}
    several = {"predict": [*boba, "-m", "8,64"],
               "tune": ["--method", "predicted", *boba, "-P", "2,4", "-m", "8,64"]}

    def times_left_out(text):
        return re.sub(r"\d+\.\d\d\b|\d+ us", "", text)

    for command, words in (single | several).items():
        named = times_left_out(output_of(command, "--collective", "bcast", *words))
        forms = [["bcast", *words], [*words, "bcast"]]
        if command in single:
            forms.append(["bcast", *words, "--collective", "bcast"])
        for one in forms:
            assert times_left_out(output_of(command, *one)) == named, (command, one)
    for command, words in several.items():
        named = output_of(command, "--collective", "bcast,reduce", *words)
        assert re.search(r"^reduce\b", named, re.M), named
        for one in (["bcast,reduce"], ["bcast", "reduce"], ["reduce", "--collective", "bcast"]):
            said = output_of(command, *one, *words)
            assert sorted(said.splitlines()) == sorted(named.splitlines()), (command, one, said)
    for command in single:
        said = refused(command, "bcast", "--collective", "reduce")
        assert "--collective: name one, not both bcast and reduce" in said, said
        assert "'reduce' was not expected" in refused(command, "bcast", "reduce")
    for command in ("bench", *several):
        said = refused(command, "bcast", "-m", "8", "64k")
        assert "'64k' is not a collective; commas separate the values of an option" in said, said
        assert "[OPTIONS] [collective...]" in help_of(command), help_of(command)


def check_ranks():
    """The first rank, as each launcher tells it, alone prints a help. The others say with their
    number what is wrong, if they do not know how many ranks there are (else: job_faults_test.py).
    """
    words = {("--help",): 0, ("--version",): 0, ("bench", "--help"): 0, ("bench", "--qq", "1"): 2,
             ("explain", "bcst"): 2, ("draw", "bcst", "-o", "x.svg"): 2, ("nothing",): 2}
    ranks = [{}] + [{name: rank} for rank in ("0", "3")
                    for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID")]
    outside = {key: value for key, value in os.environ.items()
               if not any(key in rank for rank in ranks)}
    for command, status in words.items():
        said = {}
        for rank in ranks:
            done = subprocess.run([sys.argv[1], *command], capture_output=True, text=True,
                                  env=outside | rank)
            assert done.returncode == status, (command, rank, done)
            first = "3" not in rank.values()
            said.setdefault(first, set()).add(done.stdout + done.stderr)
        (of_first,), (of_others,) = said[True], said[False]
        assert of_first, (command, said)
        of_third = of_first.replace("tutti: ", "tutti, rank 3: ", 1) if status else ""
        assert of_others == of_third, said


def main():
    assert all(len(line) <= 100 for line in help_of().splitlines())
    overview, examples = help_of().split("Examples:\n")
    commands = re.findall(r"^  ([a-z]+) ", overview.split("Subcommands:")[1], re.M)
    assert len(commands) >= 10, overview
    misspelt = 0
    for command in commands:
        text = help_of(command)
        misspelt += check_misspelt(command, text)
        assert not any(line in text for line in examples.splitlines()), text
        assert all(len(line) <= 100 for line in text.splitlines()), text
        begin = text.find("Example")
        assert begin < 0 or f"tutti {command} " in text[begin:], text
    for command in ("predict", "draw", "tune", "explain"):  # the same default
        assert ("ranks per node (default: 1 if parameters are named, else all: this machine)"
                ) in " ".join(help_of(command).split()), help_of(command)
    said = " ".join(help_of("tune").split())
    chosen_for = re.search(r"the setting `calls_in_a_row` says, else for (\d+)", said).group(1)
    settings = subprocess.run([sys.argv[1], "info"], check=True, capture_output=True, text=True)
    assert (f"`tutti bench` and `tutti tune` take {chosen_for} then"
            in " ".join(settings.stdout.split())), (said, settings)
    boba = ["predict", "--params", "boba", "--collective"]
    for words in (["list"], ["list", "--references"], ["predict", "--list-models"],
                  ["predict", "--check"], ["predict", "--bluegene-p"],
                  [*boba, "barrier", "--algorithm", "dissemination"],
                  [*boba, "bcast", "--algorithm", "splitted-binary"],
                  [*boba, "barrier,bcast,neighbor_alltoall", "-P", "4,8", "-m", "64k"]):
        text = subprocess.run([sys.argv[1], *words], check=True, capture_output=True,
                              text=True).stdout
        longest = max(text.splitlines(), key=len)
        assert len(longest) <= 100, (words, longest)
    assert misspelt > 50
    assert "did you mean --version?" in refused("--versoin")
    assert ("'bcast' was not expected: names of options begin with --"
            in refused("measure", "bcast"))
    assert ("did you mean --stats? Arguments of the program come after --" in
            refused("run", "./a", "--stat", "1"))
    for number in ("0", "-1", "two"):
        said = refused("run", "-n", number, "--", "./a")
        assert number in said and "there is no option" not in said, said
    assert "there is no option -np; did you mean -n?" in refused("run", "-np", "4", "--", "./a")
    assert ("--method: there is no value 'measure'; did you mean measured? There are measured, "
            in refused("tune", "--method", "measure"))
    for words, said in ((["--late", "-1"], "--late: '-1' is not a number from 0 to 1000000000\n"),
                        (["--congestion", "0.5"], "'0.5' is not a number from 1 to 1000000\n"),
                        (["--noise", "1e308"], "--noise: '1e308' is not a number from 0 to 1000000\n"),
                        (["--noise", "nan"], "--noise: 'nan' is not a decimal number\n"),
                        (["--ppn", "0"], "--ppn: '0' is not a whole number from 1 to 1048576\n"),
                        (["--ppn", "1.5"], "--ppn: '1.5' is not a whole number from 1 to ")):
        assert said in refused("predict", *words), (words, refused("predict", *words))
    check_collectives()
    # One name for a thing in all commands; what an option was called before goes on working.
    verify = help_of("verify")
    assert "--mapping" in verify and "-P,--ranks" in verify and "--layout" not in verify, verify
    for option in ("--mapping", "--layout"):
        done = subprocess.run([sys.argv[1], "verify", "--choices", option, "bloks"],
                              capture_output=True, text=True)
        assert "'bloks': there are blocks, in-turn, shuffled and shuffled:SEED" in done.stderr, done
    for words, wrong in ((["-m", "8"], "--bytes requires --choices"),
                         (["--layout", "blocks"], "an option's older name requires --choices"),
                         (["--choices", "--quick"], "--choices excludes --quick"),
                         (["--choices", "-P", "4"], "--choices excludes --ranks")):
        assert wrong in refused("verify", *words), (words, refused("verify", *words))
    assert "--call requires --trace" in refused("draw", "bcast", "--call", "3")
    check_ranks()
    check_files()
    print(f"{len(commands)} commands have their own help")


main()
