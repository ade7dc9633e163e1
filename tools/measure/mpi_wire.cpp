// Messages by the surrounding MPI.
#include <mpi.h>

#include "models/costs.hpp"
#include "src/api/library.hpp"
#include "tools/measure/wire.hpp"

namespace tutti::tools {
namespace {

class MpiExchange final : public Exchange {
 public:
  MpiExchange(const std::vector<int>& world, const std::vector<Message>& messages, Bytes bytes)
      : bytes_(static_cast<int>(bytes)), requests_(messages.size(), MPI_REQUEST_NULL) {
    std::size_t received = 0;
    for (const Message& message : messages) {
      messages_.push_back({world[index(message.peer)], message.sent});
      received += message.sent ? 0 : 1;
    }
    input_.resize(static_cast<std::size_t>(bytes) + 1);
    output_.resize(static_cast<std::size_t>(bytes) * received + 1);
  }

  void begin() override {
    constexpr int kTag = 1;
    std::byte* into = output_.data();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].sent) {
        MPI_Isend(input_.data(), bytes_, MPI_BYTE, messages_[i].peer, kTag, MPI_COMM_WORLD,
                  &requests_[i]);
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
  std::vector<std::byte> input_, output_;
};

class MpiWire final : public Wire {
 public:
  explicit MpiWire(tutti_comm comm) : world_(communicator_of(comm).agreement().world_ranks()) {}
  std::unique_ptr<Exchange> exchange(const std::vector<Message>& messages, Bytes bytes) override {
    return std::make_unique<MpiExchange>(world_, messages, bytes);
  }
  Bytes eager(Rank) override { return models::kNever; }
  std::string protocols(Rank) override { return "the MPI's own"; }

 private:
  const std::vector<int> world_;
};

}  // namespace

std::unique_ptr<Wire> mpi_wire(tutti_comm comm) { return std::make_unique<MpiWire>(comm); }

}  // namespace tutti::tools
