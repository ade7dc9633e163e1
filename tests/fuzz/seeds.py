"""The inputs that each fuzz target begins with: what is right, so that the fuzzer finds out what
almost is."""
import json
import struct

CHOICES = [
    "allgather=bruck(k=3);bcast=chain(segment=64k)",
    "barrier=prefer hierarchical(within=binomial(k=2),across=dissemination(k=3))",
    "allreduce=ring; reduce = tau-binomial ;scatter=linear;gather=linear;alltoall=pairwise",
    "reduce_scatter=ring;scan=recursive-doubling;exscan=recursive-doubling;bcast=multicast",
]

SETTINGS = [
    "transport=shm\nshm_copy=double\nline_slots=8\nsmall_bytes=2k # a comment\n",
    "transport=verbs\narrival=imm\nmtu=1024\npkey=0x8001\nverbs_timeout=17\nlog=info\nspin=-1\n",
    "eager_limit=64k\nreproducible=on\ncounts=all\nalgorithm=allgather=bruck(k=3)\ntable=a.json\n",
    "registration_cache=off\nregistration_cache_bytes=1G\nconnect_timeout=8000\nnode=a\n",
]

TABLES = [json.dumps({"rules": rules}) for rules in (
    [],
    [{"collective": "bcast", "algorithm": "chain(segment=64k)", "ranks": [2, None],
      "bytes": [1024, 1048576], "comment": "long ones"}],
    [{"collective": "allgather", "algorithm": "prefer neighbor-exchange", "ranks": 8,
      "ranks_per_node": [0, 4]},
     {"collective": "barrier", "algorithm": "dissemination(k=3)"}],
)]

LOGGP = {"L": 30.4, "o": 8.15, "g": 8.683, "G": 0.015}
HOCKNEY = {"alpha": [[0, 10], [100, 20]], "beta": 0}
RANGES = {"ranges": [{"up_to": 1024, "alpha": 1, "beta": 0.5}, {"alpha": 2, "beta": 0.1}]}
PLATFORMS = [json.dumps(platform) for platform in (
    {"format": 1, "name": "boba", "source": "OCC table 5", "model": "loggp", "parameters": LOGGP,
     "compute": {"reduce_per_byte": 0.001, "copy_per_byte": 0}},
    {"within": {"model": "lognp", "parameters": {"transfers": [{"o": 1}, {"o": [[0, 1], [8, 2]]}]}},
     "between": {"model": "hockney", "parameters": HOCKNEY}, "shared_ports": True},
    {"model": "loggps", "parameters": LOGGP | {"S": 4096},
     "gap_by_destinations": [[1, 1], [16, 1], [32, 0.5]]},
    {"model": "piecewise", "parameters": RANGES},
    {"model": "plogp", "parameters": {"L": 1, "o_s": [[1, 2], [64, 3]], "o_r": 1, "g": 4}},
    {"model": "logp", "parameters": {"L": 1, "o": 1, "g": 1},
     "machine": {"cpu": "A processor", "cores": 4}, "wire": {"kind": "rxe", "device": "rxe0"},
     "measured": {"date": "2026-11-22", "command": "tutti measure --save"}},
    {"model": "logfp", "parameters": {"L": 1, "o": 1, "g": 2, "f": 3}},
    {"model": "split-hockney",
     "parameters": {"alpha_s": 1, "alpha_r": 1, "beta_s": 0, "beta_r": 0}},
)]


LEVEL = {"overhead": 0.5, "transfer": {"1": [[64, 0.1], [65536, 20]], "4": 3}}
LIMITS = {"line": 40, "small": 1000, "eager": 16360, "writes": True, "fetches": True,
          "in_pieces": True}
TAU_LOPS = [json.dumps({"model": "tau-lop", "within": LEVEL, "between": LEVEL, **more})
            for more in ({"combine": {"1": [[64, 0.01]]}, "segment": 8192, "segments_above": 65536},
                         {"protocols": {"within": LIMITS, "between": LIMITS}})]

BENCHED = {"collective": "bcast", "bytes": 8, "algorithm": "linear", "digest": "00ff",
           "tutti": {"median_us": 1.5, "calls": 20}}
KEPT = {"key": "bcast 4 2 8 linear", "median_us": 1.5, "low_us": 1, "high_us": 2, "count": 9,
        "finalist": True}
RESULTS = [
    json.dumps({"ranks": 4, "nodes": 2, "rows": [BENCHED, BENCHED | {"algorithm": "chain"}]}),
    "".join(json.dumps(line) + "\n" for line in ({"tutti_tune": 2, "job": "a job"}, KEPT)) + "{",
    json.dumps({"levels": [], "models": {"logp": {"problem": "none"}, "loggp": {
        "model": "loggp", "parameters": LOGGP}, "tau-lop": json.loads(TAU_LOPS[0])}}),
]


def recorded(rank, clock, *steps):
    """The trace of one rank of a job of two (setting `trace`), with one call."""
    head = {"tutti_trace": 1, "rank": rank, "ranks": 2, "node": rank, "host": "a", "clock": clock}
    call = {"communicator": 5, "first": 0, "number": 7, "rank": rank, "ranks": 2, "root": 0,
            "collective": "bcast", "algorithm": "linear", "bytes": 8, "element": 1,
            "digest": "00ff", "begin": 1, "end": 9, "steps": steps}
    return "".join(json.dumps(line) + "\n" for line in (head, call, {"calls": 1}))


# Files with a form feed between them.
SEND, RECEIVE, COPY = ["send", 1, 8, 0, 2, 4], ["recv", 0, 8, 0, 2, 4], ["copy", -1, 8, 0, 2, 4]
RECORDED = [recorded(0, "a", SEND, COPY), recorded(0, "a", SEND) + "\f" + recorded(1, "a", RECEIVE),
            recorded(0, "a", SEND, ["recv", 1, 8, 0, 2, 4]) + "\f"
            + recorded(1, "b", RECEIVE, ["send", 0, 8, 0, 2, 4])]


def packet(kind=1, sender=2, receiver=1, token=1002, mtu=3, arrival=2, busy=0, of=1,
           cause=0):
    """As transport/verbs/handshake/packet.hpp has it."""
    shape = [64, 4, 320, 2, 1088, 2, 64, 2, 64, 2]
    lane = struct.pack("<16xQIIIHH", 8192, 6, 18, 7, 0, mtu)
    return struct.pack("<IHHiiQIIQIII4xHH10IIII", 0x74757474, 4, kind, sender, receiver, token,
                       17, 99, 4096, 5, 0, 0, mtu, arrival, *shape, 2 if of else 1,
                       busy, of) + lane + bytes(2 * len(lane)) + struct.pack("<iIQ", cause, 3, 5)


# The steps of rings_fuzz.cpp.
LINE, SMALL, EAGER, READY, CONTROL = range(5)
LENGTHS = [0, 4, 40, 100, 296, 1000, 1064, 1068, 5000]


def name(communicator=0, collective=0, ordinal=0):
    return communicator | collective << 1 | ordinal << 3


def arrive(ring, length, payload=b"", called=0, control=0, kind=None):
    """The peer's next message; `control` says which length one for the control ring has."""
    odd = control << 6 | (8 if kind is not None else 0)
    step = bytes([0, ring, odd, called, LENGTHS.index(length)])
    if kind is not None:
        step += struct.pack("<I", kind)
    return step + payload


def begin(move, sends, length, use=0, called=0):
    return bytes([7, move, use << 1 | sends, called, LENGTHS.index(length)])


def go_on(move):
    return bytes([8, move])


def ready_entry(identifier, length, access=0):
    return struct.pack("<QQ16xII", 4096, length, identifier, access)


NEWS = struct.pack("<IIIiiIhHiq", 0, 1, 0, 24, -1, 0, -1, 0, 0, 0)
ASK = struct.pack("<IIIIB3x", 0, 0, 0, 0, LINE)
MEMORY_OF_ONE_NODE = b"\x07"
GROWS = b"\x10", b"\x11"
RINGS = [
    b"\x01" + begin(0, False, 40) + arrive(LINE, 40, bytes(40)) + go_on(0),
    b"\x00" + begin(0, False, 1000) + arrive(EAGER, 1000, bytes(1000)) + go_on(0),
    b"\x01" + begin(0, True, 5000) + arrive(READY, 0, ready_entry(3, 5000)) + go_on(0) + b"\x06"
    + go_on(0),
    b"\x01" + begin(0, False, 5000) + go_on(0) + b"\x05\x00\x00" + go_on(0),
    MEMORY_OF_ONE_NODE + begin(1, False, 5000, use=3) + 4 * arrive(EAGER, 1064, bytes(1064))
    + arrive(EAGER, 1000, bytes(1000)) + 5 * go_on(1),
    MEMORY_OF_ONE_NODE + begin(1, False, 5000, use=1) + arrive(READY, 0, ready_entry(3, 5000, 1))
    + go_on(1) + go_on(1),
    MEMORY_OF_ONE_NODE + begin(1, False, 5000, use=2) + go_on(1) + begin(0, True, 5000, use=2)
    + arrive(READY, 0, ready_entry(3, 5000)) + go_on(0) + go_on(0),
    b"\x01" + arrive(CONTROL, 0, NEWS, control=2, kind=3),
    b"\x01" + begin(2, True, 4) + go_on(2) + begin(2, True, 4) + go_on(2)
    + arrive(CONTROL, 0, ASK, control=1, kind=0) + begin(2, True, 4) + go_on(2),
    b"\x01" + begin(0, False, 5000) + go_on(0)
    + arrive(CONTROL, 0, bytes(4) + NEWS, control=3, kind=2) + go_on(0),
    b"\x01" + 3 * arrive(SMALL, 100, bytes(100), called=name(1, 1))
    + begin(0, False, 100) + go_on(0) + bytes([9, 0, 10, 1]) + begin(2, True, 4) + go_on(2)
    + bytes([4, 0, 1, 0, 0, 0]),
    *(GROWS[polls] + begin(0, False, 1000) + begin(1, True, 1000) + arrive(LINE, 40, bytes(40))
      + arrive(EAGER, 296, bytes(296)) + b"\x0c" + go_on(0) + arrive(LINE, 40, bytes(40))
      + b"\x0d" + 4 * go_on(1) for polls in (0, 1)),
]

# The steps of segment_fuzz.cpp.
def poke(what, word, value):
    return struct.pack("<BBHI", 2, what, word, value)


def story(*steps):
    return b"".join(steps)


BEGUN = bytes([4, 0, 0, 0]), bytes([4, 1, 1, 0])
SEGMENTS = [
    story(BEGUN[0] + bytes([2]), bytes([5, 0]), arrive(LINE, 40, bytes(40)), bytes([5, 0])),
    story(BEGUN[1] + bytes([8]), bytes([5, 1]), arrive(CONTROL, 4, NEWS), bytes([8]),
          bytes([5, 1, 7, 1])),
    story(bytes([9, 0]), NEWS, bytes([8, 9, 4]), NEWS, bytes([8])),
    story(poke(3, 1, 0x02010001), bytes([10, 4, 2, 10, 5, 0, 10, 6, 3, 10, 7, 1, 10, 7, 4])),
    story(poke(1, 12, 1 << 31 | 21 << 16), bytes([8]), poke(5, 0, 1), bytes([8])),
    story(BEGUN[0] + bytes([8]), bytes([5, 0]), poke(1, 2, 7), poke(4, 0, 2), bytes([7, 0, 8])),
]

# A message of 40 bytes, cut into fragments of 16; then what was sent and in which window.
DATAGRAMS = [
    b"\x28" + b"".join(bytes([0, 1, fragment, 0]) + bytes(16) for fragment in range(2))
    + bytes([16, 1, 2, 0, 40]) + bytes(8) + bytes([0, 1, 255, 1]),
    b"\xff" + bytes([8, 1]) + b"\xff\xff\xff\xff" + b"\x01",
]

# Constructors of types.hpp, innermost last; then a count, and blocks.
BLOCKS = bytes([2, 1, 0, 1, 4, 2, 250])
DATATYPES = [
    bytes([8, 0]) + BLOCKS,
    bytes([0, 8, 2, 3]) + BLOCKS,
    bytes([1, 8, 6, 2, 1, 2]) + BLOCKS,
    bytes([4, 8, 4, 2, 1, 16, 2, 240]) + BLOCKS,
    bytes([5, 2, 8, 1, 1, 0, 6, 8, 2, 251, 24, 1, 8]) + BLOCKS,
    bytes([7, 3, 6, 8, 5, 2, 30, 2, 1, 4, 1, 8]) + BLOCKS,
    bytes([9, 8, 6, 3, 2, 1, 7, 250]) + BLOCKS,
    bytes([10, 11, 8, 2, 1, 0, 3, 2, 1, 2, 1, 0, 2, 1, 9, 3]) + BLOCKS,
    bytes([12, 8, 6, 3, 2, 251]) + BLOCKS,
]

SEEDS = {
    "choices": CHOICES,
    "datagrams": DATAGRAMS,
    "datatypes": DATATYPES,
    "handshake": [packet(), packet(2), packet(3, sender=0, token=1000, arrival=1),
                  packet(4, busy=1), packet(4, busy=2), packet(4, busy=3, of=0, cause=21),
                  packet(5, of=0), packet(6, of=0), packet(of=0),
                  *(struct.pack("<I", kind << 29 | 2 << 26 | 5) for kind in range(8))],
    "platform": PLATFORMS + TAU_LOPS,
    "recorded": RECORDED,
    "results": RESULTS,
    "rings": RINGS,
    "segment": SEGMENTS,
    "settings": SETTINGS,
    "table": TABLES,
}
