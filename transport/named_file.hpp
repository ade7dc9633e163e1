// Files in /dev/shm by which ranks of a node find each other at the start. They have a name for a
// moment only, but a job that is killed in that moment leaves them.
#pragma once

#include <string>

namespace tutti::transport {

// How their names begin. A file that nobody locks is a leftover only with such a name.
inline constexpr const char kSegmentName[] = "/tutti-segment-", kBeaconName[] = "/tutti-beacon-";

// Creates the file, for this user only, and locks it, so that others see that it is in use until
// this process and its forked children have closed it, or ended. Returns a descriptor, or -1 with
// errno set; EEXIST: there is such a file.
int create_named(const std::string& name) noexcept;

// Unlinks what was created by processes of this user that have ended.
void remove_leftovers() noexcept;

}  // namespace tutti::transport
