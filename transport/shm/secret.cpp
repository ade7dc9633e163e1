// Makes the page with the secret of this process, which no forked child keeps.
#include "transport/shm/secret.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

#include "base/error.hpp"
#include "base/pages.hpp"
#include "base/random.hpp"

namespace tutti::transport::shm {

Secret::Secret() {
  const std::uint64_t number = random_number();
  void* const page =
      mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    throw Error(Code::out_of_memory,
                fmt::format("cannot map a page of memory: {}", std::strerror(errno)), kNoPeer,
                errno);
  is_own_ = madvise(page, page_bytes(), MADV_WIPEONFORK) == 0;
  words_ = new (page) Words{number, 0};
}

Secret::~Secret() { munmap(words_, page_bytes()); }

}  // namespace tutti::transport::shm
