"""The tests that need the virtual RDMA host, on real SoftRoCE: a table of names and commands."""
import dataclasses
import json
import pathlib
import shlex
import sys
import tempfile
import typing

from harness.algorithms import REDUCTIONS, named
from harness.command import Command, in_background
from harness.jobs import apart, dead_rank, job, new_seed, survivors

FOLDER = pathlib.Path(__file__).resolve().parent
VERBS = {"TUTTI_TRANSPORT": "verbs"}
# A low limit, so that all protocols have their share.
LOW = {"TUTTI_EAGER_LIMIT": "4k"}
KNOWN = LOW | {"TUTTI_COUNTS": "all"}
FOLDS = LOW | {"TUTTI_REPRODUCIBLE": "on"}
# Seconds that a test may take. Nothing here takes a tenth of it on a quiet machine: the limit ends
# what hangs.
LIMIT = 1200
# No kernel for the guest can be built.
BROKEN = {"TUTTI_KERNEL_SCRIPT": "/bin/false"}


class Test(typing.NamedTuple):
    name: str
    command: Command
    seconds: int = LIMIT + 60  # the guest ends itself first, and says so
    show: bool = False
    folder: tempfile.TemporaryDirectory | None = None  # lives as long as the test


def guest(command, *options, limit=LIMIT):
    """The command within the guest; its words are its own, its environment is passed on."""
    words = [FOLDER / "host", "--mpi", "memory", "--timeout", limit, *options, "--", *command.words]
    return dataclasses.replace(command, words=words)


def shell(command, script):
    """The command as `$@` of a shell script."""
    return dataclasses.replace(command, words=["sh", "-c", script, "sh", *command.words])


def on_core(test, core):
    """The same test, its guest on this core."""
    words = test.command.words
    if words[0] != FOLDER / "host" or "--core" in words:
        return test
    pinned = dataclasses.replace(test.command, words=[words[0], "--core", core, *words[1:]])
    return test._replace(command=pinned)


def kernel():
    """The kernel that other tests need. It takes minutes where the cache does not have it, so it
    is built beside others, at the lowest priority."""
    return Test("the guest kernel", in_background(Command([FOLDER / "kernel"])), 7200, show=True)


def slow_rank(build, seconds):
    """A rank that computes; twice, so beside the others. It costs no time if these take longer."""
    limit = 2 * seconds + LIMIT
    command = job(build, 3, "slow_rank", seconds)
    yield Test(f"a rank computes for {seconds} s, connected and not",
               guest(command, "--core", "none", "--memory", "1G", "--hosts", 3, limit=limit),
               limit + 60)


def tries_qemu(output):
    """Complains unless QEMU is tried where the kernel of User-Mode Linux cannot be built."""
    return "" if "trying QEMU" in output else "the other kernel was built"


def takes_the_wire(output):
    """Complains unless the ranks of two hosts take the wire with nothing set for their MPI."""
    if "host: for MPICH UCX_TLS=rc_verbs," not in output:
        return "what is set for MPICH is not said"
    count = output.count("takes rc_verbs,")
    return "" if count == 2 else f"{count} ranks take the wire, not 2"


def machine(build, long):
    """The virtual host itself; the choice of its engine, and the second one's boot."""
    host = shlex.quote(str(FOLDER / "host"))
    yield Test("devices", guest(Command(["sh", "-c", "ibv_devinfo && on-host 1 hostname"],
                                        expect="host1"), "--hosts", 2))
    yield Test("a command's status is passed on",
               Command(["sh", "-c", f"{host} -- sh -c 'exit 7'; test $? -eq 7"]))
    neither = Command(["sh", "-c", f"{host} -- true 2>&1"],
                      BROKEN | {"TUTTI_STOCK_KERNEL_SCRIPT": "/bin/false"}, status=125,
                      expect="no stock kernel for QEMU either")
    neither.judge = tries_qemu
    yield Test("neither kernel is an error", neither)
    yield Test("MPICH's messages take the wire unless told otherwise",
               Command(["sh", "-c", f"env -u UCX_TLS {host} --hosts 2 -- mpiexec.mpich -n 2 "
                                    "sh -c 'echo takes $UCX_TLS' 2>&1"], judge=takes_the_wire))
    if not long:
        return
    yield Test("the stock kernel for QEMU", Command([FOLDER / "stock-kernel"]), 1200, show=True)
    second = job(build, 2, "collectives", env=BROKEN)
    second.judge = tries_qemu
    yield Test("QEMU where the other kernel does not build, 2 ranks on 2 hosts",
               guest(second, "--hosts", 2))


def one_warning_a_node(output):
    """Complains unless two nodes on which memory cannot be watched give one warning each."""
    count = output.count("warning: each large message registers its buffer anew")
    return "" if count == 2 else f"{count} warnings, not 2"


def told_of_each_port(output):
    """Words that `tutti info` should say of ports that it leaves out, and does not."""
    wanted = ["siw0, port 1", "left out: it is iWARP", "rxe0, port 1", "left out: port 1 is down",
              "the only usable one"]
    return ", ".join(f"no '{words}'" for words in wanted if words not in output)


def told_of_few_rails(output):
    """Complains unless one line warns of a job that has fewer rails than its setting says."""
    count = output.count("rails is 4, and all ranks have ports for 2")
    return "" if count == 1 else f"{count} lines tell of it, not 1"


def names_of(some):
    """These entries of `tutti list`, as `force` of a job names them."""
    return ",".join(map(named, some))


def by_place(build, collectives_=None):
    """The algorithms, of some collectives or of all, whose schedules depend on which ranks share a
    host; all others are the same wherever the ranks are."""
    return names_of(one for one in build.algorithms() if (one["nodes"] or one["levels"])
                    and (collectives_ is None or one["collective"] in collectives_))


def collectives(build, long):
    """All collectives, by every arrival and protocol, and where packets are lost."""
    for hosts, ranks in [(1, 2), (2, 4), (4, 4)] + [(4, 8)] * long:
        env = VERBS if hosts == 1 else {}
        yield Test(f"{ranks} ranks on {hosts} host(s)",
                   guest(job(build, ranks, "collectives", env=env), "--hosts", hosts))
    # Ranks 0 and 2 share a host and its memory, the others share a host only. (With PIDs of their
    # own in this host, UCX does not find its peers, every other time; tests/mpi has such jobs.)
    yield Test("containers on one host, shm apart",
               guest(apart(job(build, 5, "collectives"), "shm")))
    known = by_place(build, {"allreduce", "bcast"})
    yield Test("containers on two hosts, shm apart",
               guest(apart(job(build, 6, "matrix", force=known), "shm"), "--hosts", 2,
                     "--slots", 3))
    for arrival in ["tail", "flag", "imm"]:
        for limit in ["1k", "64k"]:
            env = {"TUTTI_ARRIVAL": arrival, "TUTTI_EAGER_LIMIT": limit}
            yield Test(f"arrival {arrival}, eager limit {limit}",
                       guest(job(build, 3, "collectives", env=env), "--hosts", 2))
    yield Test("1 % of packets lost",
               guest(job(build, 4, "collectives"), "--hosts", 4, "--loss", "1%"))
    yield Test("requests, 3 ranks on 3 hosts", guest(job(build, 3, "requests"), "--hosts", 3))
    yield Test("requests, 1 % of packets lost, 4 ranks on 2 hosts",
               guest(job(build, 4, "requests"), "--hosts", 2, "--loss", "1%"))
    yield Test("random collectives in all forms, 1 % of packets lost",
               guest(job(build, 4, "mixed", 20000 if long else 300, 1), "--hosts", 2, "--loss", "1%",
                     limit=7200 if long else LIMIT), 7300 if long else LIMIT + 60)
    yield Test("a rank that sits in MPI stops nobody, 3 ranks on 3 hosts",
               guest(job(build, 3, "progress", env={"TUTTI_PROGRESS": "thread"}), "--hosts", 3))
    yield Test("data land without a call, 3 ranks on 3 hosts",
               guest(job(build, 3, "landed", env={"TUTTI_PROGRESS": "thread"}), "--hosts", 3))
    alone = {"TUTTI_MODEL": FOLDER / "slow.json",
             "TUTTI_ALGORITHM": "alltoall=at-once;allgather=bruck(k=2);scatter=linear;gather=linear"}
    yield Test("data land without a call or a thread, 3 ranks on 3 hosts",
               guest(job(build, 3, "landed", "alone", env=alone), "--hosts", 3))
    yield Test("pages change behind an address", guest(job(build, 2, "remap"), "--hosts", 2))
    yield Test("a child forked and going on", guest(job(build, 2, "forked"), "--hosts", 2))
    yield Test("a forked child that calls Tutti", guest(job(build, 2, "child"), "--hosts", 2))
    # This kernel tells of missing pages only, and lacks what the tests left out need.
    yield Test("memory where the kernel has no write-protect mode",
               guest(Command([build.folder / "tests/test_registration", "~[not-in-guest]"],
                             expect="All tests passed")))
    forbidden = shell(job(build, 4, "forked"), 'setpriv --bounding-set -sys_ptrace "$@" 2>&1')
    forbidden.judge = one_warning_a_node
    yield Test("userfaultfd forbidden: one warning a node", guest(forbidden, "--hosts", 2))
    yield Test("registration cache off",
               guest(job(build, 2, "collectives", env={"TUTTI_REGISTRATION_CACHE": "off"}),
                     "--hosts", 2))
    # Two or three blocks of 16 MiB may be locked at a time, and all that are sent may not.
    locked = shell(job(build, 2, "collectives", "--large",
                       env={"TUTTI_REGISTRATION_CACHE": "off"}),
                   'setpriv --bounding-set -ipc_lock "$@" 2>&1')
    yield Test("registration cache off, what was sent is not locked any more",
               guest(locked, "--hosts", 2, "--memlock", 65536))
    ranks = 8 if long else 4
    yield Test(f"blocks of 16 MiB, {ranks} ranks",
               guest(job(build, ranks, "collectives", "--large"), "--hosts", 4, "--memory", "6G"))
    for arrival in ["tail", "flag", "imm"]:
        command = job(build, 2, "threads", 4, env={"TUTTI_ARRIVAL": arrival})
        yield Test(f"threads, arrival {arrival}", guest(command, "--hosts", 2))


def readdressed(command, changes):
    """The command after `changes` on hosts 0 and 1, whose numbers are $h, and from one $n."""
    return shell(command, f'for h in 0 1; do n=$((h + 1)); on-host $h sh -ec "{changes}"; done; '
                          'sleep 1; exec "$@" 2>&1')


def but_first(command, setting):
    """The same job, with a setting on all ranks but the first."""
    at = command.words.index("-n") + 2
    command.words[at:] = ["sh", "-c", f'[ $PMI_RANK = 0 ] || export {setting}; exec "$@"', "sh",
                          *command.words[at:]]
    return command


def networks(build):
    """Addresses of each kind, on networks that do not reach each other."""
    several = ["--hosts", 2, "--rails", 2]
    bare = "ip -4 addr flush dev eth0; ip -4 addr flush dev eth1"
    first, second = ["rxe0", "rxe1"] * 2, ["rxe0-1", "rxe1-1"] * 2
    command = readdressed(job(build, 4, "devices", *second),
                          f"{bare}; ip addr add 10.0.0.$n/24 dev eth1")
    yield Test("a port with link-local addresses only comes first", guest(command, *several))
    # The third network is the MPI's, without a device.
    command = readdressed(job(build, 4, "devices", *first),
                          f"{bare}; rdma link del rxe$h-2; ip -4 addr flush dev eth2; "
                          "ip addr add 10.0.0.$n/24 dev eth2")
    yield Test("link-local addresses on two networks, and all ranks on one",
               guest(command, "--hosts", 2, "--rails", 3))
    command = readdressed(job(build, 2, "devices", "rxe0", "rxe1"),
                          "ip -4 addr flush dev eth0; ip addr add 10.7.$h.1/24 dev eth0; "
                          "ip addr add 10.0.0.$n/24 dev eth0")
    yield Test("several networks on a port, and all ranks on the common one",
               guest(command, "--hosts", 2))
    kinds = job(build, 2, "devices", "rxe0", "rxe1", env={"TUTTI_GID_INDEX": "0"})
    command = shell(but_first(kinds, "TUTTI_GID_INDEX=1"), 'exec "$@" 2>&1')
    command.status, command.expect = 1, "have no network in common: rank 0"
    yield Test("GIDs of different kinds have a message", guest(command, "--hosts", 2))


def devices(build):
    """Which device each rank takes, where there are several."""
    several = ["--hosts", 2, "--rails", 2]
    equal, by_hand = ["rxe0", "rxe1", "rxe0-1", "rxe1-1"], ["rxe0-1", "rxe1", "rxe0", "rxe1-1"]
    yield Test("equal devices of a host are used in turn",
               guest(job(build, 4, "devices", *equal), *several, "--one-network"))
    listed = {"TUTTI_DEVICE": "rxe0-1,rxe0,rxe1,rxe1-1"}
    yield Test("devices by hand, in the order of the list",
               guest(job(build, 4, "devices", *by_hand, env=listed), *several, "--one-network"))
    for what, names, words in [("on no host", "nosuch,rxe0,rxe1", "names nosuch, which no host"),
                               ("twice", "rxe0,rxe0", "rxe0 is in it twice")]:
        command = shell(job(build, 2, "devices", "rxe0", "rxe1", env={"TUTTI_DEVICE": names}),
                        'exec "$@" 2>&1')
        command.status, command.expect = 1, words
        yield Test(f"a device in the list that is {what} has a message",
                   guest(command, "--hosts", 2))
    yield Test("devices on two networks, and all ranks on one",
               guest(job(build, 4, "devices", "rxe0", "rxe1", "rxe0", "rxe1"), *several))
    command = shell(job(build, 4, "devices", "rxe0-1", "rxe1-1", "rxe0-1", "rxe1-1"),
                    'on-host 1 rdma link del rxe1 && "$@"')
    yield Test("the network that all hosts have", guest(command, *several))
    for what, option in [("one network", ["--one-network"]), ("networks of their own", [])]:
        for arrival in ["imm", "tail"]:
            rails = {"TUTTI_RAILS": "2", "TUTTI_ARRIVAL": arrival}
            yield Test(f"large messages by two rails on {what}, arrival {arrival}",
                       guest(job(build, 3, "rails", 2, env=rails), *several, *option))
    few = job(build, 2, "rails", 2, env={"TUTTI_RAILS": "4", "TUTTI_LOG": "info"})
    few.judge = told_of_few_rails
    yield Test("more rails than ports", guest(shell(few, 'exec "$@" 2>&1'), *several))
    yield Test("two rails, 1 % of packets lost",
               guest(job(build, 2, "rails", 2, env={"TUTTI_RAILS": "2"}), *several, "--loss", "1%"))
    yield Test("a rail that goes away is an error on all ranks",
               guest(job(build, 2, "rails", 2, "cut", env={"TUTTI_RAILS": "2"}), *several))
    alone = ["--siw", "--rails", 2]
    command = shell(job(build, 2, "devices", "rxe0-1", "rxe0-1", env=VERBS),
                    'ip link set eth0 down; "$@"')
    yield Test("iWARP comes first, one port is down", guest(command, *alone))
    told = shell(Command([build.folder / "tools/tutti", "info"],
                         expect="rxe0-1, port 1 (2.5 Gbit/s, distance 0): chosen"),
                 'ip link set eth0 down; "$@"')
    told.judge = told_of_each_port
    yield Test("tutti info tells why", guest(told, *alone))
    warp = Command([build.folder / "tools/tutti", "info"], {"TUTTI_DEVICE": "siw0"},
                   expect="chosen: none: there is no usable port (siw0: it is iWARP")
    yield Test("iWARP by hand has a message", guest(warp, *alone))
    narrow = shell(job(build, 2, "rails", 2, env={"TUTTI_RAILS": "2", "TUTTI_MTU": "4096"}),
                   'on-host 1 ip link set eth1 mtu 1500; "$@" 2>&1')
    narrow.status, narrow.expect = 1, "port 1 of rxe1-1 carries 256, 512, … up to 1024"
    yield Test("a rail that cannot carry the MTU has a message", guest(narrow, *several))
    mixed = but_first(job(build, 2, "devices", "rxe0", "rxe1"), "TUTTI_WIRE=hardware")
    yield Test("ranks whose packets cost CPU time, and others", guest(mixed, "--hosts", 2))


def growth(build, long):
    """Connections that begin small; many of them."""
    for who in ["all", "none", "some"]:
        for arrival in ["imm", "tail"]:
            command = job(build, 4, "grows", who, env={"TUTTI_ARRIVAL": arrival})
            yield Test(f"connections that grow, memory for {who}, arrival {arrival}",
                       guest(command, "--hosts", 2))
    yield Test("connections that grow, 1 % of packets lost",
               guest(job(build, 4, "grows", "all"), "--hosts", 4, "--loss", "1%"))
    yield Test("connections that grow, two rails",
               guest(job(build, 2, "grows", "all", env={"TUTTI_RAILS": "2"}), "--hosts", 2,
                     "--rails", 2))
    # One core makes thousands of connections: patience.
    ranks = 128 if long else 32
    command = job(build, ranks, "many", env=VERBS | {"TUTTI_CONNECT_TIMEOUT": "100000"})
    yield Test(f"{ranks} ranks, each connected with each by verbs",
               guest(command, "--memory", "8G"), show=True)


def algorithms(build, long):
    """Every algorithm. Ranks go round the hosts, or fill one after the other."""
    for hosts, ranks, slots in [(2, 4, 2), (4, 4, 1),
                                *([(2, 4, 1), (2, 8, 4), (4, 8, 1), (4, 8, 2)] if long else [])]:
        command = job(build, ranks, "matrix", force="all", env=LOW,
                      ordered=slots * hosts == ranks, multicast=True)
        yield Test(f"every algorithm, {ranks} ranks on {hosts} hosts, {slots} by {slots}",
                   guest(command, "--hosts", hosts, "--slots", slots))
    yield Test("algorithms that know of hosts, 4 ranks on 2 hosts, 1 by 1",
               guest(job(build, 4, "matrix", force=by_place(build), env=LOW, ordered=False,
                         multicast=True), "--hosts", 2))
    # An algorithm does not see by how many rails a message goes.
    first = names_of({one["collective"]: one for one in reversed(build.algorithms())}.values())
    for what, force in [("an algorithm of each collective", first),
                        *([("every algorithm", "all")] if long else [])]:
        command = job(build, 4, "matrix", force=force, env=LOW | {"TUTTI_RAILS": "2"},
                      ordered=False, multicast=True)
        yield Test(f"{what}, 4 ranks on 2 hosts, two rails",
                   guest(command, "--hosts", 2, "--rails", 2))
    yield Test("scatterv and gatherv, counts known to all",
               guest(job(build, 5, "matrix", force="scatter,gather", env=KNOWN), "--hosts", 4))
    # Left folds take twice as long, and have the same bits as over shared memory.
    for what, env in [("bits of sums", LOW)] + [("bits of sums in left folds", FOLDS)] * long:
        command = job(build, 3, "bits", *REDUCTIONS, force=",".join(REDUCTIONS), env=env)
        yield Test(what, guest(command, "--hosts", 2))


def failures(build, long):
    """Every failure has a message, and an end."""
    small = job(build, 2, "collectives")
    yield Test("errors", guest(job(build, 2, "errors", env={"JOB_HAS_DEVICE": "1"}), "--hosts", 2))
    for ranks in [2, 4]:
        yield Test(f"a buffer with a hole, {ranks} ranks",
                   guest(job(build, ranks, "hole", env={"TUTTI_SHM_COPY": "single"}),
                         "--hosts", 2))
    for together in [[], ["all"]]:
        yield Test(f"a first call that is rejected{', all ranks together' * len(together)}",
                   guest(job(build, 4, "refused", *together), "--hosts", 4))
    yield Test("one end of a connection fails",
               guest(job(build, 2, "one_side"), "--hosts", 2))
    for hosts, arrival in [(4, "imm"), (2, "tail")]:
        command = job(build, 4, "given_up", 3, env={"TUTTI_ARRIVAL": arrival})
        yield Test(f"what a rank that gives up leaves to others, {hosts} hosts, arrival {arrival}",
                   guest(command, "--hosts", hosts))
    for fault, ranks, mebibytes, rails in [("timeout", 2, 256, 1), ("timeout", 2, 256, 2),
                                           ("receive", 2, 256, 1), ("receive", 2, 256, 2),
                                           ("kill", 3, 128, 1)]:
        folder = tempfile.TemporaryDirectory(prefix="tutti-in-flight-")
        command = survivors(build, ranks, int(fault == "kill"), "in_flight", [mebibytes, fault],
                            folder.name, {"TUTTI_ALGORITHM": "bcast=linear", "TUTTI_RAILS": rails})
        yield Test(f"{mebibytes} MiB given up in flight, {fault}, {rails} rail(s)",
                   guest(command, "--hosts", ranks, "--rails", rails, "--run-dir", folder.name),
                   folder=folder)
    locked = shell(small, 'setpriv --bounding-set -ipc_lock "$@" 2>&1 | grep RLIMIT_MEMLOCK')
    locked.expect = "more bytes are needed"
    yield Test("too little locked memory has a message",
               guest(locked, "--hosts", 2, "--memlock", 64))
    down = shell(job(build, 1, "collectives", env=VERBS), 'ip link set eth0 down; "$@" 2>&1')
    down.status, down.expect = 1, "port 1 is down"
    yield Test("a port that is down has a message", guest(down))
    command = job(build, 2, "unreachable", env=VERBS | {"TUTTI_CONNECT_TIMEOUT": "2000"})
    yield Test("a peer that does not answer", guest(command, "--hosts", 2))
    command = job(build, 2, "suspended", env=VERBS | {"TUTTI_CONNECT_TIMEOUT": "1000"})
    yield Test("ranks that are stopped while they connect", guest(command, "--hosts", 2))
    for how in ["rejects", "gives-up"]:
        yield Test(f"a rank that is stopped while another one {how}",
                   guest(job(build, 2, "left_alone", how, env=VERBS), "--hosts", 2))
    for arrival, queues in [("imm", "fixed"), ("tail", "short")]:
        command = job(build, 6, "unlucky", queues, env=VERBS | {"TUTTI_ARRIVAL": arrival})
        yield Test(f"helper threads out of luck, {queues} completion queues, arrival {arrival}",
                   guest(command, "--hosts", 2))
    command = shell(job(build, 2, "collectives", env=VERBS | {"TUTTI_PKEY": "0x1234"}),
                    'exec "$@" 2>&1')
    command.status, command.expect = 1, "is in no partition 0x1234; it is in 0xffff"
    yield Test("a partition that is not there has a message", guest(command))
    marks = {"TUTTI_TRAFFIC_CLASS": "96", "TUTTI_HOP_LIMIT": "33", "TUTTI_SERVICE_LEVEL": "3",
             "TUTTI_PKEY": "0x7fff"}
    yield Test("packets carry what the settings say",
               guest(job(build, 2, "traffic", 96, env=marks), "--hosts", 2))
    for size, bytes_, seed in [("small", 100, 0), ("small", 100, 1), ("large", 200000, 0),
                               *(("large", 200000, seed)
                                 for seed in [1, 4, *([2, new_seed()] if long else [])])]:
        when = f"at a moment by seed {seed}" if seed else "between two"
        folder = tempfile.TemporaryDirectory(prefix="tutti-dead-rank-")
        command = dead_rank(build, 6, bytes_, seed, folder.name)
        yield Test(f"dead rank, {size} blocks, killed {when}",
                   guest(command, "--hosts", 4, "--run-dir", folder.name), folder=folder)
    folder = tempfile.TemporaryDirectory(prefix="tutti-dead-rank-")
    command = dead_rank(build, 6, 200000, 0, folder.name, {"DEAD_RANK_CHILD": "yes"})
    yield Test("dead rank that leaves a child",
               guest(command, "--hosts", 4, "--run-dir", folder.name), folder=folder)


def faults(build, long):
    """Jobs in which something goes wrong, by seeds; the machine of each batch is started once."""
    def batch(seeds, *words):
        return Command([sys.executable, FOLDER.parent / "faults/faults.py", "--build",
                        build.folder, "--seeds", f"1:{seeds}", "--new", int(long),
                        "--ranks", "2:6", "--kinds", "all",
                        "--faults", "none,stop,kill,child,refuse,exhaust", *words],
                       expect=", 0 failed")
    forms = ["--forms", "blocking,nonblocking,persistent"]
    yield Test("faults by seeds, 4 hosts", guest(batch(3, *forms), "--hosts", 4))
    for loss in ["1%", "20%"]:
        yield Test(f"faults by seeds, {loss} of packets lost",
                   guest(batch(2 if long else 1, "--lossy"), "--hosts", 4, "--loss", loss))
    yield Test("faults by seeds, a host's link goes away",
               guest(batch(2, "--faults", "link,cut"), "--hosts", 4))


def soak(build, seconds):
    """Random collectives while packets get lost: what is held does not grow."""
    yield Test(f"random collectives for {seconds} s, 1% of packets lost",
               guest(job(build, 4, "soak", seconds, 1),
                     "--hosts", 2, "--loss", "1%", limit=seconds + LIMIT), seconds + LIMIT + 60,
               show=True)


def multicast(build):
    """Broadcasts by multicast, by themselves and as an algorithm."""
    for way in ["auto", "manager", "direct", "ipv6", "each"]:
        yield Test(f"multicast, {way}", guest(job(build, 4, "multicast", way), "--hosts", 4))
    for way in ["auto", "each"]:
        yield Test(f"multicast, {way}, 1 % of all packets lost",
                   guest(job(build, 4, "multicast", way), "--hosts", 4, "--loss", "1%"))
    yield Test("multicast, two ranks a host", guest(job(build, 8, "multicast"), "--hosts", 4))
    alone = shell(job(build, 2, "multicast"), 'rm /dev/infiniband/rdma_cm; exec "$@"')
    alone.expect = "joined by a socket"
    yield Test("multicast without librdmacm", guest(alone, "--hosts", 2))
    command = job(build, 6, "matrix", force="bcast=multicast", multicast=True)
    yield Test("bcast=multicast, chosen by hand, with losses",
               guest(command, "--hosts", 4, "--loss", "1%"))
    for way in ["manager", "direct", "each"]:
        command = job(build, 4, "matrix", force="bcast=multicast", multicast=True,
                      env={"TUTTI_MULTICAST": way})
        yield Test(f"bcast=multicast, {way}", guest(command, "--hosts", 2))
    off = {"TUTTI_MULTICAST": "off", "TUTTI_ALGORITHM": "bcast=multicast"}
    refused = shell(job(build, 2, "collectives", env=off), 'exec "$@" 2>&1')
    refused.status, refused.expect = 1, "it needs a multicast group that all ranks join"
    yield Test("bcast=multicast without multicast is refused with a reason",
               guest(refused, "--hosts", 2))


def packets_missing(path, collectives_):
    """Complains if the bench's file lacks a row for a collective, or packets in a row."""
    try:
        rows = json.loads(path.read_text())["rows"]
    except (OSError, ValueError, KeyError) as error:
        return f"{path.name}: {error!r}"
    still = [f"no packets in {row['collective']} of {row['bytes']} bytes" for row in rows
             if not row["tutti"].get("packets_per_operation", 0) > 0]
    there = {row["collective"] for row in rows}
    return ", ".join(still or [f"no row for {one}" for one in sorted(collectives_ - there)])


def counters(build):
    """The devices' own counters say that the ranks really used them."""
    # The bench leaves out collectives of neighbours.
    all_of_them = {one["collective"] for one in build.algorithms()
                   if not one["collective"].startswith("neighbor_")}
    folder = tempfile.TemporaryDirectory(prefix="tutti-counters-")
    file = pathlib.Path(folder.name) / "bench.json"
    command = job(build, 4, "tutti", "bench", "--collective", "all", "--no-mpi", "--sizes",
                  "8,64k", "--time-limit", "0.1", "--json", file)
    command.expect, command.judge = "", lambda _: packets_missing(file, all_of_them)
    yield Test("counters move", guest(command, "--hosts", 4, "--keep", folder.name), show=True,
               folder=folder)


def measured(build):
    """Parameters between nodes, and within them where there are several ranks; read back."""
    test = FOLDER.parent / "tools/measure_test.py"
    for hosts, ranks, levels in [(2, 2, ["between nodes", "rxe"]),
                                 (2, 4, ["within nodes", "shm", "between nodes", "rxe"])]:
        command = Command([sys.executable, test, build.folder, ranks, *levels],
                          build.job_environment(), expect="and read back")
        yield Test(f"tutti measure, {ranks} ranks on {hosts} hosts",
                   guest(command, "--hosts", hosts))


def tests(build, long):
    yield from soak(build, 3600 if long else 20)
    yield from growth(build, long)
    for part in [machine, collectives, algorithms, failures, faults]:
        yield from part(build, long)
    for part in [devices, networks, multicast, counters, measured]:
        yield from part(build)
