// Sends the messages that are measured through the surrounding MPI.
#include <mpi.h>

#include <algorithm>

#include "src/api/library.hpp"
#include "tools/measure/wire.hpp"

namespace tutti::tools {
namespace {

class MpiExchange final : public Exchange {
 public:
  MpiExchange(const std::vector<int>& world, const std::vector<Message>& messages, Bytes bytes,
              Bytes spread)
      : bytes_(static_cast<int>(bytes)),
        requests_(messages.size(), MPI_REQUEST_NULL),
        input_(Rotating::read, bytes, spread),
        output_(Rotating::written,
                bytes * std::count_if(messages.begin(), messages.end(),
                                      [](const Message& message) { return !message.sent; }),
                spread) {
    for (const Message& message : messages)
      messages_.push_back({world[index(message.peer)], message.sent});
  }

  void begin() override {
    constexpr int kTag = 1;
    std::byte* into = output_.next();
    const std::byte* const from = input_.next();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].sent) {
        MPI_Isend(from, bytes_, MPI_BYTE, messages_[i].peer, kTag, MPI_COMM_WORLD, &requests_[i]);
      } else {
        MPI_Irecv(into, bytes_, MPI_BYTE, messages_[i].peer, kTag, MPI_COMM_WORLD, &requests_[i]);
        into += bytes_;
      }
    }
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  }
  void finish() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  const int bytes_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;
  Rotating input_, output_;
};

class MpiWire final : public Wire {
 public:
  explicit MpiWire(tutti_comm comm)
      : world_(communicator_of(comm).agreement().members().world_ranks()) {}
  std::unique_ptr<Exchange> exchange(const std::vector<Message>& messages, Bytes bytes,
                                     Bytes spread) override {
    return std::make_unique<MpiExchange>(world_, messages, bytes, spread);
  }
  std::optional<protocols::Limits> limits(Rank) override { return {}; }
  std::string protocols(Rank) override { return "the MPI's own"; }

 private:
  const std::vector<int> world_;
};

}  // namespace

std::unique_ptr<Wire> mpi_wire(tutti_comm comm) { return std::make_unique<MpiWire>(comm); }

}  // namespace tutti::tools
