// Messages by Tutti's protocols: schedules that consist of nothing else.
#include <fmt/format.h>

#include "collectives/schedule/builder.hpp"
#include "src/api/library.hpp"
#include "tools/measure/wire.hpp"

namespace tutti::tools {
namespace {

using collectives::Buffer;
using collectives::Builder;
using collectives::Program;
using protocols::Answer;

// Sends read the same bytes; each receive has bytes of its own.
collectives::Schedule schedule_of(const Agreement& agreement, const std::vector<Message>& messages,
                                  Bytes bytes) {
  Bytes received = 0;
  for (const Message& message : messages) received += message.sent ? 0 : bytes;
  Builder builder(agreement.size(), agreement.rank(), {.input = bytes, .output = received});
  Bytes at = 0;
  for (const Message& message : messages) {
    if (message.sent) {
      builder.send(message.peer, {Buffer::input, 0, bytes});
    } else {
      builder.recv(message.peer, {Buffer::output, at, bytes});
      at += bytes;
    }
  }
  return builder.finish();
}

class TuttiExchange final : public Exchange, private OpenCall {
 public:
  TuttiExchange(Communicator& communicator, const std::vector<Message>& messages, Bytes bytes,
                Bytes spread)
      : communicator_(communicator),
        program_(schedule_of(communicator.agreement(), messages, bytes),
                 [&](Rank peer) -> protocols::Channel& {
                   return communicator.engine().connections().channel(
                       communicator.agreement().world_ranks()[index(peer)]);
                 }),
        run_(program_),
        input_(bytes, spread),
        output_(program_.schedule().output_bytes, spread) {
    static const collectives::Task kTask{};
    task_ = &kTask;
  }

  void begin() override {
    Agreement& agreement = communicator_.agreement();
    if (agreement.failed()) communicator_.throw_failure();
    agreement.open(*this);
    communicator_.engine().began_call(number());
    run_.start(input_.next(), output_.next(), {agreement.id(), number(), 0});
    advance();
  }
  void finish() override {
    Patience patience;
    while (answer_ == Answer::again) {
      if (!communicator_.engine().waiting().wait_once(
              patience, communicator_.agreement(), *this,
              [this](auto&& visit) { run_.each_waiting(visit); }))
        fail();
      advance();
    }
    communicator_.agreement().close(*this);
    communicator_.engine().ended_call();
  }

 private:
  void advance() {
    answer_ = run_.advance();
    if (answer_ == Answer::failed) fail();
  }
  // The job ends: nothing is put in order.
  [[noreturn]] void fail() {
    if (communicator_.agreement().failed()) communicator_.throw_failure();
    const protocols::Channel* const channel = run_.culprit();
    throw Error(channel ? channel->failure_code() : Code::internal,
                channel ? channel->failure() : "a message cannot be sent");
  }

  Communicator& communicator_;
  const Program program_;
  collectives::Run run_;
  Rotating input_, output_;
  Answer answer_ = Answer::done;
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
        .channel(communicator_.agreement().world_ranks()[index(peer)])
        .limits();
  }
  std::string protocols(Rank peer) override {
    const protocols::Limits of = *limits(peer);
    return fmt::format("line to {} B, small to {} B, eager to {} B, above {}", of.line, of.small,
                       of.eager, of.writes ? "rendezvous" : "pieces");
  }

 private:
  Communicator& communicator_;
};

}  // namespace

Rotating::Rotating(Bytes bytes, Bytes spread)
    : stride_(static_cast<std::size_t>(round_up(bytes + 1, kCacheLine))),
      memory_(std::max(stride_, static_cast<std::size_t>(spread) / stride_ * stride_)) {}

std::unique_ptr<Wire> tutti_wire(tutti_comm comm) { return std::make_unique<TuttiWire>(comm); }

}  // namespace tutti::tools
