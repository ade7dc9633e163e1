"""Every algorithm in every form in which a test forces it, and the judge of what it refused."""
import re

REDUCTIONS = ["reduce", "allreduce", "reduce_scatter", "scan", "exscan"]

# Programs that print of each algorithm how many calls were run, and how many it refused.
COUNTING = {"matrix", "bits"}

# Algorithms across the nodes, for hierarchical algorithms in tests.
ACROSS = {"barrier": "dissemination(k=2)", "bcast": "chain", "reduce": "tau-binomial",
          "allreduce": "ring", "allgather": "bruck(k=2)"}


def named(one):
    """An algorithm as TUTTI_ALGORITHM would name it, by its entry in `tutti list`."""
    return f"{one['collective']}={one['algorithm']}"


def forms(listed):
    """Every algorithm, and again with each parameter that it has, as TUTTI_ALGORITHM would name it:
    from that to its entry in `tutti list`."""
    names = {}
    for one in listed:
        name = named(one)
        names[name] = one
        if one["k"]:
            names[f"{name}(k=3)"] = one
        if one["segment"]:
            names[f"{name}(segment=1000)"] = one
        if one["root"]:
            names[f"{name}(root=1)"] = one
        if one["times"]:
            names[f"{name}(L=50,g=1,G=0.01)"] = one
        if one["levels"]:
            names[f"{name}(within=binomial(k=2),across={ACROSS[one['collective']]})"] = one
    return names


def may_refuse(one, ranks, ordered, multicast, counts, reproducible):
    """The share of its calls that an algorithm may refuse, by its flags in `tutti list --json`.
    `ordered`: the ranks of a node follow each other."""
    never = {"power_of_two": ranks & (ranks - 1), "even_ranks": ranks % 2,
             "datagrams": not multicast, "nodes_in_order": not ordered, "no_fold": reproducible,
             # The programs have a ring, where two ranks are neighbours on both sides.
             "torus": ranks != 2}
    if any(never.get(flag) for flag in one["needs"]):
        return 1
    if "torus" in one["needs"]:  # the ring's blocks are equal
        return 0
    # Half of the calls are the v-form's, or are made with an operation that does not commute.
    half = {"commutative": True, "equal_blocks": True, "known_counts": counts != "all"}
    return 1 / 2 if any(half.get(flag) for flag in one["needs"]) else 0


def refusals(forced, ranks, env, also=(), ordered=True, multicast=False):
    """A judge of what a counting program prints: each form was run, and refused no more calls than
    it may. `also`: what stands there besides them, and may refuse nothing."""
    def judge(output):
        told = {name: (int(run), int(refused)) for name, run, refused in
                re.findall(r"^(\S+): (\d+) calls run, (\d+) refused$", output, re.M)}
        if set(told) != {*forced, *also}:
            return "not run: " + ", ".join(sorted({*forced, *also} - set(told)))
        for name, (run, refused) in told.items():
            share = 0
            if name in forced:
                share = may_refuse(forced[name], ranks, ordered, multicast,
                                   env.get("TUTTI_COUNTS"), env.get("TUTTI_REPRODUCIBLE") == "on")
            if run + refused == 0 or refused > share * (run + refused):
                return (f"{name} refused {refused} of {run + refused} calls; "
                        "if it may, say so in may_refuse()")
        return ""

    return judge
