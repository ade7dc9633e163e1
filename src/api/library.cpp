// tutti_init to tutti_finalize, communicators, messages: everything of the C API but the
// collectives.
#include "src/api/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "src/data/quiet_errors.hpp"
#include "transport/bootstrap.hpp"

namespace tutti {
namespace {

std::mutex g_setup;  // init, finalize, and the table of handles
std::atomic<Library*> g_current{nullptr};
// Not destroyed at the end of the program: that would undo, in a child that was forked and exits,
// what belongs to its parent.
std::unique_ptr<Library>& g_library = *new std::unique_ptr<Library>;
std::deque<tutti_comm_object>& g_handles =
    *new std::deque<tutti_comm_object>;  // grows only: see tutti_comm_object

thread_local std::string t_message;

bool mpi_is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

std::vector<std::string> settings_of(const tutti_options* options) {
  std::vector<std::string> settings;
  if (!options) return settings;
  if (options->size != sizeof(tutti_options))
    throw Error(Code::bad_configuration,
                fmt::format("tutti_options.size is {} and should be sizeof(tutti_options) = {}; "
                            "zero the structure, then set it",
                            options->size, sizeof(tutti_options)));
  if (options->settings)
    for (const char* const* setting = options->settings; *setting; ++setting)
      settings.emplace_back(*setting);
  return settings;
}

// Ranks that disagree about these could wait for each other for ever: better no start.
void agree_on_settings(const Configuration& configuration, const std::string& table,
                       transport::Bootstrap& bootstrap) {
  std::vector<std::size_t> mine;
  const auto add = [&](const std::string& text) { mine.push_back(std::hash<std::string>{}(text)); };
  for (const Setting& setting : settings())
    if (setting.same_on_all) add(setting.name == "table" ? table : setting.show(configuration));
  std::vector<std::size_t> all(mine.size() * static_cast<std::size_t>(bootstrap.size()));
  bootstrap.allgather(mine.data(), mine.size() * sizeof mine[0], all.data());
  std::size_t place = 0;
  for (const Setting& setting : settings()) {
    if (!setting.same_on_all) continue;
    for (std::size_t other = place; other < all.size(); other += mine.size())
      if (all[other] != all[place])
        throw Error(Code::bad_configuration,
                    fmt::format("the setting `{}` must be the same on all ranks, and rank {} of "
                                "MPI_COMM_WORLD differs from rank 0; here "
                                "it is '{}'",
                                setting.name, other / mine.size(), setting.show(configuration)));
    ++place;
  }
}

Log log_for(const Configuration& configuration, const tutti_options* options, int rank) {
  if (configuration.log == LogLevel::off) return {};
  if (options && options->log)
    return [call = options->log, context = options->log_context](std::string_view line) {
      call(context, std::string(line).c_str());
    };
  return [rank](std::string_view line) { fmt::print(stderr, "tutti[{}]: {}\n", rank, line); };
}

std::unique_ptr<Library> start(const tutti_options* options) {
  const auto bootstrap = transport::bootstrap_over(MPI_COMM_WORLD);
  auto state = std::make_unique<Library>();
  std::exception_ptr error;
  std::string table;
  try {
    state->configuration = load_configuration(settings_of(options));
    ReadRules read = read_rules(state->configuration);
    state->rules = std::move(read.rules);
    table = std::move(read.table);
  } catch (...) {
    error = std::current_exception();
  }
  // A rank whose configuration is wrong must not leave the others in the exchange of addresses.
  const std::int64_t worst = bootstrap->maximum(error ? bootstrap->size() - bootstrap->rank() : 0);
  if (error) std::rethrow_exception(error);
  if (worst > 0)
    throw Error(Code::bootstrap_failed,
                fmt::format("rank {} of MPI_COMM_WORLD could not start; see the error it returned",
                            bootstrap->size() - worst));
  agree_on_settings(state->configuration, table, *bootstrap);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  Log log = log_for(state->configuration, options, bootstrap->rank());
  if (log)
    for (const std::string& warning : state->configuration.warnings) log(warning);
  state->engine =
      std::make_unique<Engine>(state->configuration, *bootstrap, level == MPI_THREAD_MULTIPLE,
                               collectives::wants_datagrams(state->rules), std::move(log));
  return state;
}

}  // namespace

Library* library() noexcept { return g_current.load(std::memory_order_acquire); }

void remember_error(std::string_view message) noexcept {
  try {
    t_message = message;
  } catch (...) {
    t_message.clear();  // out of memory: the code alone must do
  }
}

Communicator& communicator_of(tutti_comm comm) {
  if (comm == TUTTI_COMM_NULL)
    throw Error(Code::bad_communicator,
                "the communicator is TUTTI_COMM_NULL; make one with tutti_comm_create");
  if (comm->magic != tutti_comm_object::kMagic)
    throw Error(Code::bad_communicator,
                "this is no communicator of Tutti; make one with tutti_comm_create");
  if (!comm->communicator) throw Error(Code::bad_communicator, "the communicator was freed");
  return *comm->communicator;
}

namespace {

// The members by rank of MPI_COMM_WORLD. Throws Error{unsupported}.
std::vector<int> world_ranks_of(MPI_Comm mpi, int size) {
  std::vector<int> local(static_cast<std::size_t>(size)), world(local.size());
  std::iota(local.begin(), local.end(), 0);
  MPI_Group group = MPI_GROUP_NULL, world_group = MPI_GROUP_NULL;
  MPI_Comm_group(mpi, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  MPI_Group_translate_ranks(group, size, local.data(), world_group, world.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world_group);
  if (std::find(world.begin(), world.end(), MPI_UNDEFINED) != world.end())
    throw Error(Code::unsupported,
                "a rank of the MPI communicator is not in MPI_COMM_WORLD (spawned or connected "
                "later); Tutti reaches the ranks of "
                "MPI_COMM_WORLD only");
  return world;
}

tutti_comm fresh_handle() {
  const std::lock_guard lock(g_setup);
  return &g_handles.emplace_back();
}

// Without the engine's lock where it speaks with others through MPI: they may come to it only after
// other calls, of other threads. A rank that cannot go on says so to the others instead of leaving
// them there.
void create_communicator(Library& state, MPI_Comm mpi, tutti_comm* comm) {
  if (comm) *comm = TUTTI_COMM_NULL;
  if (mpi == MPI_COMM_NULL)
    throw Error(Code::bad_communicator, "the MPI communicator is MPI_COMM_NULL");
  Engine& engine = *state.engine;
  {
    const auto lock = engine.enter();
    const QuietErrors quiet;
    int is_inter = 0;
    if (MPI_Comm_test_inter(mpi, &is_inter) != MPI_SUCCESS)
      throw Error(Code::bad_communicator, "the MPI communicator is none, or was freed");
    if (is_inter)
      throw Error(
          Code::bad_communicator,
          "the MPI communicator is an intercommunicator; merge it with MPI_Intercomm_merge first");
  }
  const auto bootstrap = transport::bootstrap_over(mpi);
  tutti_comm handle = TUTTI_COMM_NULL;
  enum : std::int64_t { kMade, kTaken, kFailed };
  for (std::int64_t worst = kTaken; worst == kTaken;) {
    std::unique_lock<std::mutex> lock = engine.enter();
    const CommunicatorId proposal = engine.propose_id();
    if (lock) lock.unlock();
    const auto id = static_cast<CommunicatorId>(bootstrap->maximum(proposal));
    std::int64_t mine = kMade;
    std::exception_ptr error;
    std::unique_ptr<Communicator> communicator;
    try {
      if (!comm)
        throw Error(Code::bad_buffer,
                    "tutti_comm_create needs a place for the new communicator, and `comm` is NULL");
      std::vector<int> world = world_ranks_of(mpi, bootstrap->size());
      if (!handle) handle = fresh_handle();
      lock = engine.enter();
      if (engine.is_free(id))
        communicator = std::make_unique<Communicator>(engine, id, bootstrap->rank(),
                                                      std::move(world), state.rules);
      else
        mine = kTaken;
    } catch (...) {
      error = std::current_exception();
      mine = kFailed;
    }
    if (lock) lock.unlock();
    worst = bootstrap->maximum(mine);
    lock = engine.enter();
    if (worst == kMade) {
      handle->communicator = std::move(communicator);
      *comm = handle;
    }
    communicator.reset();
    if (error) std::rethrow_exception(error);
    if (worst == kFailed)
      throw Error(Code::bootstrap_failed,
                  "another rank could not make the communicator; see the error it returned");
  }
}

void describe(Library& state, tutti_comm comm, char* text, std::size_t size, std::size_t* needed) {
  if (!text && size != 0) throw Error(Code::bad_buffer, "`text` is NULL and `size` is not 0");
  nlohmann::json members = state.engine->describe();
  members["version"] =
      fmt::format("{}.{}.{}", TUTTI_VERSION_MAJOR, TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH);
  if (comm != TUTTI_COMM_NULL) members.update(communicator_of(comm).describe());
  // Names of devices come from outside: bytes that are no UTF-8 are replaced, not an error.
  const std::string json = members.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (needed) *needed = json.size();
  if (size == 0) return;
  const std::size_t length = std::min(json.size(), size - 1);
  std::memcpy(text, json.data(), length);
  text[length] = '\0';
}

}  // namespace
}  // namespace tutti

using namespace tutti;

int tutti_init(const tutti_options* options) {
  const std::lock_guard lock(g_setup);
  try {
    if (g_library)
      throw Error(Code::already_initialized,
                  "tutti_init was called before; call tutti_finalize first");
    if (!mpi_is_running())
      throw Error(Code::mpi_not_initialized,
                  "MPI is not running; call MPI_Init before tutti_init, and tutti_finalize before "
                  "MPI_Finalize");
    g_library = start(options);
    g_current.store(g_library.get(), std::memory_order_release);
    return TUTTI_SUCCESS;
  } catch (const Error& error) {
    remember_error(error.message);
    return static_cast<int>(error.code);
  } catch (const std::exception& error) {
    remember_error(error.what());
    return TUTTI_ERR_INTERNAL;
  }
}

int tutti_finalize(void) {
  const int code = guard([](Library& state) {
    const std::lock_guard lock(g_setup);
    state.engine->farewell();
    for (tutti_comm_object& handle : g_handles) handle.communicator.reset();
    g_current.store(nullptr, std::memory_order_release);
  });
  // Outside of guard(), which still held the engine's lock.
  if (code == TUTTI_SUCCESS) g_library.reset();
  return code;
}

int tutti_comm_create(MPI_Comm mpi, tutti_comm* comm) {
  return guard<Enter::by_itself>([&](Library& state) { create_communicator(state, mpi, comm); });
}

int tutti_comm_free(tutti_comm* comm) {
  return guard([&](Library&) {
    if (!comm)
      throw Error(Code::bad_communicator,
                  "tutti_comm_free needs the address of a communicator, and got NULL");
    communicator_of(*comm);
    (*comm)->communicator.reset();
    *comm = TUTTI_COMM_NULL;
  });
}

int tutti_describe(tutti_comm comm, char* text, size_t size, size_t* needed) {
  return guard([&](Library& state) { describe(state, comm, text, size, needed); });
}

const char* tutti_last_error_message(void) { return t_message.c_str(); }

const char* tutti_error_string(int code) {
  switch (code) {
    case TUTTI_SUCCESS: return "success";
    case TUTTI_ERR_NOT_INITIALIZED: return "tutti_init was not called, or tutti_finalize was";
    case TUTTI_ERR_ALREADY_INITIALIZED: return "tutti_init was called before";
    case TUTTI_ERR_MPI_NOT_INITIALIZED: return "MPI_Init was not called, or MPI_Finalize was";
    case TUTTI_ERR_COMM: return "the communicator is null, freed or of the wrong kind";
    case TUTTI_ERR_BUFFER:
      return "a buffer is null where bytes are expected, or MPI_IN_PLACE where it is not allowed";
    case TUTTI_ERR_OVERLAP: return "send and receive buffer overlap";
    case TUTTI_ERR_COUNT: return "a count is negative or too large";
    case TUTTI_ERR_TYPE: return "a datatype is null or invalid";
    case TUTTI_ERR_TYPE_NOT_COMMITTED: return "a datatype is not committed";
    case TUTTI_ERR_ROOT: return "the root is not a rank of the communicator";
    case TUTTI_ERR_SIZE_MISMATCH: return "sizes differ between send and receive, or between ranks";
    case TUTTI_ERR_CONFIGURATION: return "a configuration value or file cannot be used";
    case TUTTI_ERR_UNKNOWN_ALGORITHM: return "there is no algorithm of that name";
    case TUTTI_ERR_NOT_APPLICABLE: return "the forced algorithm cannot run this call";
    case TUTTI_ERR_NO_DEVICE: return "there is no RDMA device, or not the one asked for";
    case TUTTI_ERR_PORT_DOWN: return "the device's port is not active";
    case TUTTI_ERR_LOCKED_MEMORY: return "the limit on locked memory is too low";
    case TUTTI_ERR_UNREACHABLE: return "a peer's address does not answer";
    case TUTTI_ERR_PEER_FAILED: return "a peer has failed";
    case TUTTI_ERR_TRANSPORT: return "the device or the link to a peer has failed";
    case TUTTI_ERR_NO_MEMORY: return "memory or shared memory is exhausted";
    case TUTTI_ERR_BOOTSTRAP: return "MPI or another rank failed while Tutti started";
    case TUTTI_ERR_UNSUPPORTED: return "Tutti cannot do that";
    case TUTTI_ERR_TIMEOUT: return "the time limit on waiting has passed";
    case TUTTI_ERR_SYSTEM: return "a system call failed";
    case TUTTI_ERR_INTERNAL: return "a bug in Tutti; please report it";
    case TUTTI_ERR_PEER_FINALIZED: return "a peer has called tutti_finalize";
    case TUTTI_ERR_OP: return "the operation is not defined on the datatype";
    case TUTTI_ERR_DISPLACEMENT: return "blocks of the receive buffer overlap";
    case TUTTI_ERR_OP_FAILED: return "a user-defined operation failed";
    default: return "not an error code of Tutti";
  }
}
