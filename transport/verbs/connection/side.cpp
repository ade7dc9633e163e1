// Makes the small and the larger side of a link.
#include "transport/verbs/connection/side.hpp"

namespace tutti::transport::verbs {
namespace {

bool shares(const LinkContext& site, bool large) { return !large && site.shared.queue(); }

Queues queues_of(LinkContext& site, bool large) {
  ibv_cq* const queue = site.queues.room_for(Side::completions(site, large));
  if (shares(site, large)) return {queue, site.queues.first(), site.shared.queue()};
  return {queue, queue};
}

LinkOptions options_of(const LinkContext& site, bool large) {
  return large ? site.options : site.options.at_first();
}

InboxShape shape_of(const LinkContext& site, bool large) {
  return large ? site.shape : first_shape(site.shape);
}

}  // namespace

int Side::completions(const LinkContext& site, bool large) noexcept {
  const std::uint32_t receives =
      shares(site, large) ? 0 : Receives::needed_for(shape_of(site, large));
  return static_cast<int>(receives + options_of(site, large).send_queue_depth);
}

Side::Side(LinkContext& site, Link& link, bool large)
    : shared(site.shared),
      connection(site.device, queues_of(site, large), options_of(site, large), link.peer(),
                 shape_of(site, large)),
      writer(connection, link, large) {
  const std::uint32_t number = connection.queue_pair()->qp_num;
  if (shares(site, large))
    shared.add(number, link.peer());
  else
    receives.emplace(connection.queue_pair(), link.peer(), connection.shape(), large);
  site.queues.take(completions(site, large));
}

LargeSide::LargeSide(LinkContext& site, Link& link) : Side(site, link, true) {
  for (Rail& rail : site.rails) lanes.emplace_back(rail, site.options, link);
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

}  // namespace tutti::transport::verbs
