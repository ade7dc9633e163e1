// The table of settings, which is read best in one piece: what a format takes is in formats.hpp.
#include <array>
#include <span>

#include "src/setup/configuration.hpp"
#include "src/setup/formats.hpp"

namespace tutti {
namespace {

using C = Configuration;
using transport::verbs::Arrival;

constexpr std::array<Word<TransportChoice>, 3> kTransports{{{"auto", TransportChoice::automatic},
                                                            {"shm", TransportChoice::shm},
                                                            {"verbs", TransportChoice::verbs}}};
constexpr std::array<Word<Arrival>, 4> kArrivals{{{"auto", Arrival::automatic},
                                                  {"tail", Arrival::tail},
                                                  {"imm", Arrival::imm},
                                                  {"flag", Arrival::flag}}};
constexpr std::array<Word<transport::shm::Copy>, 3> kCopies{
    {{"auto", transport::shm::Copy::automatic},
     {"single", transport::shm::Copy::once},
     {"double", transport::shm::Copy::twice}}};
constexpr std::array<Word<transport::shm::Memory>, 3> kMemories{
    {{"auto", transport::shm::Memory::automatic},
     {"file", transport::shm::Memory::file},
     {"memfd", transport::shm::Memory::anonymous}}};
constexpr std::array<Word<Wire>, 3> kWires{
    {{"auto", Wire::automatic}, {"hardware", Wire::hardware}, {"software", Wire::software}}};
constexpr std::array<Word<LogLevel>, 3> kLogs{
    {{"off", LogLevel::off}, {"warn", LogLevel::warn}, {"info", LogLevel::info}}};
constexpr std::array<Word<Counts>, 2> kCounts{{{"root", Counts::root}, {"all", Counts::all}}};
constexpr std::array<Word<MulticastWay>, 5> kMulticast{{{"auto", MulticastWay::automatic},
                                                        {"manager", MulticastWay::manager},
                                                        {"direct", MulticastWay::direct},
                                                        {"each", MulticastWay::each},
                                                        {"off", MulticastWay::off}}};
constexpr std::array<Word<bool>, 5> kChecks{
    {{"off", false}, {"calls", true}, {"0", false, true}, {"1", true, true}, {"on", true, true}}};
constexpr std::array<Word<bool>, 4> kSwitch{
    {{"on", true}, {"off", false}, {"1", true, true}, {"0", false, true}}};
constexpr std::array<Word<Progress>, 3> kProgress{
    {{"auto", Progress::automatic}, {"calls", Progress::calls}, {"thread", Progress::thread}}};
constexpr std::array<Word<bool>, 2> kDrives{{{"sometimes", false}, {"always", true}}};

Setting same(Setting setting) {
  setting.same_on_all = true;
  return setting;
}

const Setting kSettings[] = {
    same(setting<&C::transport, Words<kTransports>{}>(
        "transport",
        "How ranks reach each other. auto: shared memory within a node, verbs between nodes. "
        "verbs: verbs within a node too.")),
    same(setting<&C::algorithm, Text{}>(
        "algorithm", "collective=name(k=N,segment=SIZE);…",
        "Forces algorithms, for example allgather=bruck(k=3);bcast=chain(segment=64k). "
        "`tutti list` lists them. A forced algorithm that cannot run a call is an error, "
        "unless it is written as `prefer NAME`.")),
    same(setting<&C::table, Text{}>(
        "table", "file",
        "A JSON file of rules that choose algorithms by collective, ranks, ranks per node "
        "and bytes. `tutti list --schema` prints its schema. The setting `algorithm` comes "
        "first.")),
    setting<&C::model, Text{}>(
        "model", "name|file|measure",
        "The parameters of the machine by which algorithms are chosen where no setting names one: "
        "shm, rxe or hardware, which Tutti brings along, or a JSON file as `tutti measure` writes "
        "it. Empty: the parameters saved for the job's kind of wire, such as by `tutti measure "
        "--save`; if there are none, those that Tutti brings along. measure: the saved ones; if "
        "there are none, rank 0 measures messages to a rank of its own node and to one of another "
        "when the job starts, which takes a fraction of a second, and saves the result; if round "
        "trips are unsure, as on a busy machine, it saves nothing, warns, and takes the "
        "parameters that Tutti brings along. The parameters of rank 0 apply to all ranks. The "
        "option --params of `tutti predict` and other commands names parameters, too, also "
        "published ones; their option --model is another thing, a cost model such as loggp."),
    same(setting<&C::calls_in_a_row, Number{0, 1000000}>(
        "calls_in_a_row",
        "For how many calls of a collective that follow each other without a pause the model "
        "chooses the algorithm. 1: the call that takes the least time by itself. More: the least "
        "mean time; in broadcasts, other rooted collectives and scans ranks may go on to the next "
        "call while others are still in this one. 0: as the parameters of the machine say; `tutti "
        "bench` and `tutti tune` take 4 then, and `tutti tune --calls 1` takes 1. Else the option "
        "--calls of `tutti predict` and `tutti tune` is another number: the calls that a model "
        "simulates.")),
    same(setting<&C::counts, Words<kCounts>{}>(
        "counts",
        "The ranks that know the counts of tutti_scatterv and tutti_gatherv. root: the root alone, "
        "as in MPI. all: you promise that every rank passes them; algorithms in which ranks "
        "forward the blocks of others need that.")),
    same(setting<&C::compares_calls, Words<kChecks>{}>(
        "check",
        "calls (or 1): before each blocking call all ranks compare what they are about to call: "
        "collective, operation, types, counts and root, and MPI_IN_PLACE where MPI wants it on "
        "all ranks. If they differ, all ranks get TUTTI_ERR_CALLS_DIFFER, with what each calls. "
        "Not compared are non-blocking and persistent calls, the counts of scatterv, gatherv, "
        "alltoallv and collectives of neighbours, user-defined operations among each other, and "
        "types that a rank gives as MPI_PACKED or that are distributed arrays: those by their "
        "bytes. Each call then takes an allreduce of 40 bytes more, and waits for all ranks.")),
    same(setting<&C::reproducible, Words<kSwitch>{}>(
        "reproducible",
        "on: reductions combine strictly from left to right in the order of the ranks, so "
        "that the bits of a result do not depend on the algorithm.")),
    setting<&C::device, DeviceList{}>(
        "device",
        "The RDMA device, or several with commas between, which the ranks of a node use in turn; "
        "each must be on some host of the job. Empty: a device of a fabric that all ranks have; "
        "hardware before software, then what has an address that is not link-local, then the "
        "fastest, then the nearest to the rank's cores; the ranks of a node use equal ones in "
        "turn."),
    setting<&C::port, Number{0, 255}>("port", "The device's port. 0: the best active one."),
    setting<&C::rails, Number{0, 4}>(
        "rails",
        "How many ports carry a large message together; every rank needs that many. 0: the ports "
        "that are best for a rank, shared out among the ranks of its node for which they are "
        "best; 1 where packets cost CPU time."),
    setting<&C::gid_index, Number{-1, 255}>(
        "gid_index",
        "The index of the GID. -1: one of the network that all ranks have; link-local addresses "
        "last, RoCE v2 before v1, IPv4 before IPv6."),
    same(setting<&C::pkey, PartitionKey{}>(
        "pkey",
        "The partition key, with or without the bit of full members. 0: that of the first "
        "partition of which the port is a full member.")),
    same(setting<&C::service_level, Number{0, 15}>(
        "service_level",
        "The service level of all packets: on InfiniBand it chooses the virtual lane, on "
        "RoCE the priority (PFC) if frames have VLAN tags.")),
    same(setting<&C::traffic_class, Number{0, 255}>(
        "traffic_class",
        "The traffic class of all packets with a global header. With RoCE v2 its upper six "
        "bits are the DSCP, by which switches choose queues.")),
    setting<&C::hop_limit, Number{1, 255}>(
        "hop_limit",
        "The hop limit of packets: one more than the routers that a packet may pass. On RoCE, "
        "most devices take that of the kernel's route instead."),
    setting<&C::mtu, PacketBytes{}>(
        "mtu",
        "The largest packet, in bytes. 0: the port's. A connection uses the smaller value of "
        "its two ends."),
    setting<&C::arrival, Words<kArrivals>{}>(
        "arrival",
        "How a receiver learns that data has arrived over verbs. auto: tail if the device writes "
        "in order, else imm, which is always safe. Set flag or tail by hand only if you know that "
        "the device keeps order."),
    setting<&C::verbs_timeout, Number{0, 31, Unit::exponent}>(
        "verbs_timeout",
        "The time after which a packet that is not acknowledged is sent again: 4.096 us times two "
        "to this power. 0: 17, so that a network may be down for some seconds before its peers "
        "count as dead; 14 for a device in software."),
    setting<&C::verbs_retry, Number{1, 6}>(
        "verbs_retry",
        "How often a packet is sent again before the peer counts as dead. (7 would mean for "
        "ever on some devices.)"),
    same(setting<&C::multicast, Words<kMulticast>{}>(
        "multicast",
        "How the datagrams of the broadcast `multicast` travel, if `algorithm` or `table` "
        "names it. manager: to a multicast group that librdmacm joins. direct: to a group "
        "joined without librdmacm, on RoCE only. auto: the first of these two that works. "
        "each: one datagram to each receiver. off: the broadcast `multicast` does not apply.")),
    setting<&C::connect_timeout_ms, Number{100, 600000, Unit::milliseconds}>(
        "connect_timeout",
        "How long connecting to a peer may take before the peer counts as unreachable. Time in "
        "which this process is stopped, or over RoCE the peer's, does not count."),
    setting<&C::timeout_ms, Number{0, 2000000000, Unit::milliseconds}>(
        "timeout",
        "How long a rank waits for another one in a collective. 0: without limit, because a "
        "slow rank is not a dead one. Time in which this process is stopped does not count. The "
        "error may come some seconds later, when nothing is on its way from or to the buffers any "
        "more."),
    setting<&C::report_after_ms, Number{0, 2000000000, Unit::milliseconds}>(
        "report_after",
        "The time after which a rank that waits in a collective prints, once, which call that is, "
        "for which ranks it waits, and where those are. A rank that waits where ranks meet for "
        "the first time (`tutti_init`, `tutti_comm_create`) prints that it waits. 0: never."),
    setting<&C::probe_interval_ms, Number{1, 60000, Unit::milliseconds}>(
        "probe_interval",
        "How often a waiting rank asks the peers that it waits for whether they are alive."),
    setting<&C::registration_cache, Words<kSwitch>{}>(
        "registration_cache", "Whether user buffers stay registered between calls."),
    setting<&C::registration_cache_bytes, Size{0, (1ll << 50)}>(
        "registration_cache_bytes",
        "How many bytes may stay registered while they are not in use. The buffers of persistent "
        "requests are in use until these are freed."),
    setting<&C::registration_cache_regions, Number{1, 1000000}>(
        "registration_cache_regions",
        "How many regions may stay registered while they are not in use."),
    setting<&C::scratch_bytes, Size{0, (1ll << 50)}>(
        "scratch_bytes",
        "How many bytes of scratch memory the process keeps for later calls of all its "
        "communicators: memory for intermediate results, for blocks that are received before they "
        "are combined, and for packed copies of data with gaps. The memory that the last call "
        "used is kept even if it is more, unless this is 0; memory that calls under way use is "
        "not counted."),
    same(setting<&C::eager_limit, Size{0, (1 << 20)}>(
        "eager_limit",
        "The longest message that goes through a slot over verbs; longer ones go by rendezvous, "
        "straight into the user's buffer. 0: 16k, or 64k if packets cost CPU time.")),
    same(setting<&C::shm_eager_limit, Size{1024, (1 << 20)}>(
        "shm_eager_limit",
        "The same limit over shared memory; `shm_copy` says how longer messages go.")),
    same(setting<&C::small_bytes, Size{64, 65536}>(
        "small_bytes", "The longest message that goes through the ring of small slots.")),
    same(setting<&C::line_slots, Slots{}>("line_slots",
                                          "Slots of two cache lines each, for each connection.")),
    same(setting<&C::small_slots, Slots{}>(
        "small_slots", "Slots for messages up to `small_bytes`, for each connection.")),
    same(setting<&C::eager_slots, Slots{}>(
        "eager_slots", "Slots for messages up to the eager limit, for each connection.")),
    same(setting<&C::ready_slots, Slots{}>(
        "ready_slots", "Slots for ready-to-receive entries, for each connection.")),
    setting<&C::shm_copy, Words<kCopies>{}>(
        "shm_copy",
        "How messages beyond `shm_eager_limit` are copied within a node. single: once, by the "
        "kernel (process_vm_writev, process_vm_readv), if it permits that. double: twice, through "
        "shared memory. auto: double for data that is combined, which happens as it arrives; for "
        "data that is only stored, the one that took less time recently, which each sender "
        "measures for each length; but single where several ranks send to one, or where /dev/shm "
        "has no room. If ranks of a node have different values, double takes precedence over "
        "single, and single over auto."),
    setting<&C::shm_memory, Words<kMemories>{}>(
        "shm_memory",
        "The memory that the ranks of a node share. file: a file in /dev/shm. memfd: memory of its "
        "own, which no size of /dev/shm limits, if all ranks of the node can open it, as ranks of "
        "one user and one PID namespace can. auto: memfd where /dev/shm has no room for four times "
        "what all connections together can take. The first rank of a node decides."),
    setting<&C::spin, Number{-1, 1000000000}>(
        "spin",
        "How often a waiting rank polls before it yields its core. -1: often if each rank "
        "has a core of its own, else not at all."),
    setting<&C::always_drives_mpi, Words<kDrives>{}>(
        "drive_mpi",
        "How often a waiting rank calls MPI, so that what the program has pending there makes "
        "progress. sometimes: often at first, every 50 us after 20 ms, and every millisecond "
        "after a second, because the rank then sleeps in between. always: the rank never sleeps; "
        "for one-sided communication, which many MPIs move only while the target calls them. "
        "Under the drop-in it is always as long as there are windows."),
    setting<&C::progress, Words<kProgress>{}>(
        "progress",
        "How non-blocking calls make progress while the program computes. calls: only when the "
        "rank calls Tutti, but an adapter moves long messages alone if their receivers were there "
        "when the call began. thread: by a thread of Tutti's, which sleeps while no call is "
        "under way. auto: by a thread under the drop-in, from the first non-blocking call "
        "on, since the rank may be in any function of MPI's then; else as with calls. The thread "
        "polls without a pause if the ranks of the machine leave a core for each such thread, "
        "else every 50 us or less often. It leaves calls with a user-defined operation alone, "
        "unless MPI was initialized with MPI_THREAD_MULTIPLE, or, under the drop-in, the rank is "
        "in a function of MPI's that may wait for others."),
    setting<&C::wire, Words<kWires>{}>(
        "wire",
        "Whether packets cost CPU time, as with rxe and siw (software). If so, Tutti chooses "
        "algorithms with few packets rather than few rounds. auto: what the device says."),
    setting<&C::node, Text{}>(
        "node", "name",
        "Replaces the host name when Tutti determines which ranks share a node. They must also "
        "share /dev/shm."),
    setting<&C::log, Words<kLogs>{}>(
        "log",
        "The messages that go to tutti_options.log, or to standard error if it is not set. warn: "
        "what makes this job slower than it need be, once for each node. info: also what was "
        "chosen and why. At any level, rank 0 warns of variables TUTTI_… that name no setting."),
    setting<&C::trace, Text{}>(
        "trace", "folder",
        "Each rank writes what its calls did, step by step, into a file in this folder, which "
        "`tutti draw --trace` draws. Calls are counted on each communicator from 1, as in "
        "messages. Empty: nothing is recorded, at no cost."),
    setting<&C::trace_calls, Number{1, 1000000}>(
        "trace_calls",
        "How many calls of each collective a rank records, from the first on; about 60 bytes a "
        "step."),
    same(setting<&C::only, Text{}>(
        "only", "collective,…",
        "Under the drop-in: the collectives that Tutti runs, in all their forms, such as "
        "allreduce,bcast; all others go to the MPI. Empty: all.")),
    same(setting<&C::drop_in_from, Number{1, 1000000}>(
        "drop_in_from",
        "Under the drop-in: the first collective on a communicator that Tutti runs, counted from "
        "1. Those before it go to the MPI, because making a communicator of Tutti's takes "
        "messages, and a program may make many communicators for one call each. Most duplicates "
        "take no messages: Tutti runs their collectives from the first on, and so it does on "
        "MPI_COMM_WORLD, and on all communicators with `reproducible` or `check`.")),
    setting<&C::stats, Text{}>(
        "stats", "1|file",
        "Under the drop-in: at the end, rank 0 writes a table of its collectives to standard "
        "error: calls, bytes, time, and who ran them by which algorithm. With the name of a file "
        "it also writes the table there, as JSON. In the environment only."),
};

}  // namespace

std::span<const Setting> settings() { return kSettings; }

}  // namespace tutti
