// Sends the messages that are measured by Tutti's protocols.
#include <fmt/format.h>

#include "base/index.hpp"
#include "src/api/library.hpp"
#include "src/calibration/messages.hpp"
#include "tools/measure/wire.hpp"

namespace tutti::tools {
namespace {

class TuttiExchange final : public Exchange {
 public:
  TuttiExchange(Communicator& communicator, const std::vector<Message>& messages, Bytes bytes,
                Bytes spread)
      : messages_(communicator, messages, bytes),
        input_(Rotating::read, bytes, spread),
        output_(Rotating::written, messages_.output_bytes(), spread) {}

  void begin() override { messages_.begin(input_.next(), output_.next()); }
  void finish() override { messages_.finish(); }

 private:
  Messages messages_;
  Rotating input_, output_;
};

class TuttiWire final : public Wire {
 public:
  explicit TuttiWire(tutti_comm comm) : communicator_(communicator_of(comm)) {}
  std::unique_ptr<Exchange> exchange(const std::vector<Message>& messages, Bytes bytes,
                                     Bytes spread) override {
    return std::make_unique<TuttiExchange>(communicator_, messages, bytes, spread);
  }
  std::optional<protocols::Limits> limits(Rank peer) override {
    return communicator_.engine()
        .connections()
        .channel(communicator_.agreement().members().world_ranks()[index(peer)])
        .limits();
  }
  std::string protocols(Rank peer) override {
    const protocols::Limits of = *limits(peer);
    const bool either = of.fetches && of.in_pieces;
    return fmt::format("line to {} B, small to {} B, eager to {} B, above {}", of.line, of.small,
                       of.eager,
                       either      ? "rendezvous or pieces, as measured"
                       : of.writes ? "rendezvous"
                                   : "pieces");
  }

 private:
  Communicator& communicator_;
};

}  // namespace

Rotating::Rotating(Side side, Bytes bytes, Bytes spread)
    : stride_(static_cast<std::size_t>(round_up(bytes + 1, kCacheLine))),
      bytes_(std::max(stride_, static_cast<std::size_t>(spread) / stride_ * stride_)) {
  static std::shared_ptr<std::vector<std::byte>> known[2];
  auto& shared = known[side];
  if (!shared || shared->size() < bytes_) shared = std::make_shared<std::vector<std::byte>>(bytes_);
  memory_ = shared;
}

std::unique_ptr<Wire> tutti_wire(tutti_comm comm) { return std::make_unique<TuttiWire>(comm); }

}  // namespace tutti::tools
