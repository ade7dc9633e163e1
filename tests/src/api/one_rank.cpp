// Starts MPI and Tutti on one rank, for which no launcher is needed, and ends both.
#include "tests/src/api/one_rank.hpp"

namespace {

struct Start final : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    MPI_Init(nullptr, nullptr);
    tutti_options options{};
    options.size = sizeof options;
    // A limit that a few blocks of a test reach.
    const char* const settings[] = {"scratch_bytes=1M", nullptr};
    options.settings = settings;
    options.log = [](void*, const char* line) { tutti::tests::g_logged.emplace_back(line); };
    if (tutti_init(&options) != TUTTI_SUCCESS) FAIL(tutti_last_error_message());
  }
  void testRunEnded(const Catch::TestRunStats&) override {
    tutti_finalize();
    MPI_Finalize();
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(Start)
