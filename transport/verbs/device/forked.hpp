// A forked child's share of an RDMA device, which it must not keep.
#pragma once

struct ibv_context;

namespace tutti::transport::verbs {

// In a child: closes the device's file and unmaps what of such devices is mapped. The kernel keeps
// queue pairs, and has them acknowledge what comes, for as long as anybody has either: if the
// parent is killed, its peers would wait for it for as long as its child lives. Only the number of
// the file stays in use, so that closing it again does no harm. A child can do nothing with the
// device, or with another one that was opened beside Tutti: see ibv_fork_init(3).
void release_in_child(const ibv_context& context) noexcept;

}  // namespace tutti::transport::verbs
