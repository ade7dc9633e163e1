// Makes the small and the larger side of a link.
#include "transport/verbs/connection/side.hpp"

#include <algorithm>

namespace tutti::transport::verbs {
namespace {

bool shares(const LinkContext& context, bool large) { return !large && context.shared.queue(); }

Queues queues_of(LinkContext& context, bool large) {
  ibv_cq* const queue = context.queues.room_for(Side::completions(context, large));
  if (shares(context, large)) return {queue, context.queues.first(), context.shared.queue()};
  return {queue, queue};
}

LinkOptions options_of(const LinkContext& context, bool large) {
  return large ? context.options : context.options.at_first();
}

InboxShape shape_of(const LinkContext& context, bool large) {
  return large ? context.shape : first_shape(context.shape);
}

}  // namespace

int Side::completions(const LinkContext& context, bool large) noexcept {
  const std::uint32_t receives =
      shares(context, large) ? 0 : Receives::needed_for(shape_of(context, large));
  return static_cast<int>(receives + options_of(context, large).send_queue_depth);
}

Side::Side(LinkContext& context, Link& link, bool large)
    : shared(context.shared),
      connection(context.device, queues_of(context, large), options_of(context, large), link.peer(),
                 shape_of(context, large)),
      writer(connection, link, large) {
  const std::uint32_t number = connection.queue_pair()->qp_num;
  if (shares(context, large))
    shared.add(number, link.peer());
  else
    receives.emplace(connection.queue_pair(), link.peer(), connection.shape(), large);
  context.queues.take(completions(context, large));
}

LargeSide::LargeSide(LinkContext& context, Link& link) : Side(context, link, true) {
  for (Rail& rail : context.rails) lanes.emplace_back(rail, context.options, link);
  if (!lanes.empty()) shares = std::make_unique<Shares>(1 + lanes.size());
}

std::uint64_t LargeSide::completed() noexcept {
  if (lanes.empty()) return writer.completed();
  Shares::Marks completed{};
  for (std::size_t rail = 0; rail <= lanes.size(); ++rail)
    completed[rail] = writer_of(rail).completed();
  return shares->complete(completed);
}

bool LargeSide::reads(std::uint64_t ticket) const noexcept {
  if (lanes.empty()) return writer.reads(ticket);
  const Shares::Marks& posted = shares->posted(ticket);
  for (std::size_t rail = 0; rail <= lanes.size(); ++rail)
    if (writer_of(rail).reads(posted[rail])) return true;
  return false;
}

bool LargeSide::idle() noexcept {
  for (std::size_t rail = 0; rail <= lanes.size(); ++rail)
    if (!writer_of(rail).idle()) return false;
  return true;
}

std::size_t LargeSide::most_at_once() const noexcept {
  std::size_t most = writer.most_at_once();
  for (const Lane& lane : lanes) most = std::min(most, lane.writer().most_at_once());
  return most;
}

}  // namespace tutti::transport::verbs
