// A cache over a registrar that counts, and memory for it.
#pragma once

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "registration/cache.hpp"
#include "tests/registration/watched.hpp"

namespace cache_fixture {

using tutti::registration::Cache;
using tutti::registration::CacheOptions;
using tutti::registration::Region;

// Counts, remembers what is registered, and fails when it is told to.
class CountingRegistrar final : public tutti::transport::Registrar {
 public:
  tutti::transport::Registration add(void* address, std::size_t length, bool) override {
    for (std::size_t at = 0; touches && at < length; at += kPage)
      static_cast<volatile std::byte*>(address)[at] = std::byte{1};
    const std::size_t before = reinterpret_cast<std::uintptr_t>(address) % kPage;
    if (msync(static_cast<std::byte*>(address) - before, before + length, MS_ASYNC) != 0)
      throw tutti::Error(tutti::Code::bad_buffer, "not all of it is mapped");
    const std::lock_guard guard(lock_);
    if (live_.size() >= most_live)
      throw tutti::Error(tutti::Code::locked_memory, "the limit of the test");
    ++adds;
    live_[++last_] = length;
    return {nullptr, {last_}, {last_}};
  }
  void remove(const tutti::transport::Registration& registration) noexcept override {
    const std::lock_guard guard(lock_);
    if (live_.erase(registration.local_keys[0]) == 0) ++wrong_removals;
  }
  std::size_t live() const {
    const std::lock_guard guard(lock_);
    return live_.size();
  }
  bool touches = false;  // as pinning does
  std::size_t most_live = 1000000;
  int adds = 0, wrong_removals = 0;

 private:
  mutable std::mutex lock_;
  std::map<std::uint32_t, std::size_t> live_;
  std::uint32_t last_ = 0;
};

struct Fixture {
  CountingRegistrar registrar;
  std::string warnings;
  Cache cache;
  explicit Fixture(CacheOptions options = {})
      : cache(registrar, options, [this](std::string_view line) { (warnings += line) += '\n'; }) {}
  // Acquires and releases; true if nothing had to be registered.
  bool hit(const void* address, std::size_t length, bool writable = true) {
    const int before = registrar.adds;
    cache.release(cache.acquire(address, length, writable));
    return registrar.adds == before;
  }
};

inline std::byte* map_pages(std::size_t count, void* at = nullptr) {
  void* memory = mmap(at, count * kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 1, count * kPage);
  return static_cast<std::byte*>(memory);
}

}  // namespace cache_fixture
