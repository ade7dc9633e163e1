// Sends and receives single messages by the executor of collectives, over its channels.
#include "src/calibration/messages.hpp"

#include "base/index.hpp"
#include "collectives/schedule/builder.hpp"
#include "src/job/engine.hpp"

namespace tutti {
namespace {

using collectives::Buffer;
using collectives::Builder;
using protocols::Answer;

collectives::Schedule schedule_of(const Agreement& agreement, const std::vector<Message>& messages,
                                  Bytes bytes) {
  Bytes received = 0;
  for (const Message& message : messages) received += message.sent ? 0 : bytes;
  Builder builder(agreement.members().size(), agreement.members().rank(),
                  {.input = bytes, .output = received});
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

}  // namespace

Messages::Messages(Communicator& communicator, const std::vector<Message>& messages, Bytes bytes)
    : communicator_(communicator),
      program_(schedule_of(communicator.agreement(), messages, bytes),
               [&](Rank peer) -> protocols::Channel& {
                 return communicator.engine().connections().channel(
                     communicator.agreement().members().world_ranks()[index(peer)]);
               }),
      run_(program_) {
  static const collectives::Task kTask{};
  task_ = &kTask;
}

void Messages::begin(const void* input, void* output) {
  Agreement& agreement = communicator_.agreement();
  if (agreement.failed()) communicator_.throw_failure();
  agreement.open(*this);
  communicator_.engine().calls().began(false);
  run_.start(input, output, {agreement.members().id(), number(), 0});
  answer_ = Answer::again;
  advance();
  if (answer_ == Answer::failed) fail();
}

void Messages::finish() {
  WaitState wait_state;
  while (answer_ == Answer::again) {
    if (!communicator_.engine().waiting().wait_once(wait_state, communicator_.agreement(), *this,
                                                    run_))
      fail();
    advance();
  }
  if (answer_ == Answer::failed) fail();
  end();
}

void Messages::advance() noexcept {
  if (answer_ == Answer::again) answer_ = run_.advance();
}

void Messages::fail() {
  communicator_.blame(*this, run_.culprit());
  run_.abandon();
  end();
  communicator_.throw_failure();
}

void Messages::end() noexcept {
  communicator_.agreement().close(*this);
  communicator_.engine().calls().ended(false);
}

}  // namespace tutti
