// Looks regions up, keeps them, evicts and drops them.
//
// The rule of this file (see watcher.hpp): nothing is allocated, freed, registered or deregistered
// with the lock held. So the vectors have room for a region before it comes to exist, and dropped
// regions are deregistered without the lock.
#include "registration/cache.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"

namespace tutti::registration {

Cache::Cache(transport::Registrar& registrar, const CacheOptions& options, Warn warn)
    : registrar_(registrar), options_(options), warn_(std::move(warn)) {
  if (!options_.enabled) return;
  watcher_ = std::make_unique<Watcher>(
      lock_, [this](const PageRange& pages) { invalidate(pages); }, options_.write_protect);
  if (!watcher_->works())
    warn_once(
        fmt::format("each large message registers its buffer anew, because {}. "
                    "TUTTI_REGISTRATION_CACHE=off silences this warning",
                    watcher_->why_not()));
}

Cache::~Cache() {
  {
    const std::lock_guard lock(lock_);
    while (!kept_.empty()) drop(kept_.size() - 1, {});
  }
  watcher_.reset();
  for (Region* region : dropped_) registrar_.remove(region->registration);
}

Region* Cache::acquire(const void* address, std::size_t length, bool writable, bool* registered) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address), end = begin + length;
  std::unique_lock lock(lock_);
  if (caches()) watcher_->catch_up();
  deregister_dropped(lock);
  if (Region* region = find(begin, end, writable)) {
    ++region->users;
    region->last_use = ++clock_;
    return region;
  }
  lock.unlock();
  if (registered) *registered = true;
  return add_region(const_cast<void*>(address), length, writable, false);
}

Region* Cache::bind(const void* address, std::size_t length, bool writable) {
  if (!caches() || length == 0) return nullptr;
  return add_region(const_cast<void*>(address), length, writable, true);
}

// Called without the lock. Null: it is to be bound, and cannot be watched.
Region* Cache::add_region(void* address, std::size_t length, bool writable, bool bound) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address), end = begin + length;
  Region* region = new_region();
  std::unique_lock lock(lock_);
  *region = {.registration = {},
             .begin = begin,
             .end = end,
             .users = 1,
             .writable = writable,
             .bound = bound,
             .last_use = ++clock_,
             .pages = pages_around(begin, end)};
  const bool keepable = caches() && length > 0;
  // Listed before it is watched, and watched before it is registered: whatever happens to it
  // meanwhile drops it.
  if (keepable) keep(region);
  lock.unlock();
  std::string warning;
  const auto give_up = [&] {
    lock.lock();
    unlist(region);
    free_.push_back(region);
  };
  try {
    if (keepable) warning = watch(region);
    if (bound && !warning.empty()) {
      give_up();
      return nullptr;
    }
    region->registration = add(address, length, writable);
  } catch (...) {
    give_up();
    throw;
  }
  lock.lock();
  region->ready = true;
  keep_limits();
  deregister_dropped(lock);
  lock.unlock();
  // Only now: of memory that is not mapped or may not be written, the error says enough.
  if (!warning.empty()) warn_once(warning);
  return region;
}

// Asks for the watch. If there can be none, unlists the region and returns a warning.
std::string Cache::watch(Region* region) {
  const auto* const address = reinterpret_cast<const void*>(region->begin);
  const std::size_t length = region->end - region->begin;
  std::string why_not;
  const auto pages = watcher_->watch(address, length, why_not);
  std::unique_lock lock(lock_);
  if (pages) region->pages = *pages;
  if (!pages) unlist(region);
  if (pages && !region->kept) end_watch(region->pages, {});  // dropped meanwhile
  if (pages) return {};
  lock.unlock();
  return fmt::format(
      "the memory at {} ({} bytes) {}, so each large message there registers "
      "it anew; memory from malloc() stays registered",
      address, length, why_not);
}

void Cache::warn_once(const std::string& warning) {
  if (!warned_.exchange(true)) warn_(warning);
}

transport::Registration Cache::add(void* address, std::size_t length, bool writable) {
  for (;;) {
    try {
      return registrar_.add(address, length, writable);
    } catch (const Error& error) {
      if (error.code != Code::locked_memory && error.code != Code::out_of_memory) throw;
      if (!trim(1)) throw;
    }
  }
}

bool Cache::trim(std::size_t most) noexcept {
  std::unique_lock lock(lock_);
  bool evicted = false;
  for (std::size_t i = 0; i < most && evict_one(); ++i) evicted = true;
  deregister_dropped(lock);
  return evicted;
}

// A Region object, with room for it in all lists. Called without the lock; allocates.
Region* Cache::new_region() {
  std::unique_ptr<Region> made = std::make_unique<Region>();
  std::vector<Region*> room[3];
  std::unique_lock lock(lock_);
  if (!free_.empty()) {
    Region* region = free_.back();
    free_.pop_back();
    return region;
  }
  // Growing allocates: longer lists are made without the lock, then exchanged with it. Others may
  // have done so meanwhile.
  std::vector<Region*>* const lists[3] = {&free_, &kept_, &dropped_};
  for (;;) {
    const std::size_t needed = storage_.size() + 1;
    if (storage_.capacity() >= needed && kept_.capacity() >= needed) break;
    lock.unlock();
    std::vector<std::unique_ptr<Region>> storage;
    storage.reserve(2 * needed + 64);
    for (auto& r : room) r.reserve(2 * needed + 64);
    lock.lock();
    if (storage.capacity() < storage_.size() + 1) continue;
    std::move(storage_.begin(), storage_.end(), std::back_inserter(storage));
    storage_.swap(storage);
    for (int i = 0; i < 3; ++i) {
      room[i].assign(lists[i]->begin(), lists[i]->end());
      lists[i]->swap(room[i]);
    }
    lock.unlock();  // the old lists are freed without it
    storage.clear();
    lock.lock();
  }
  storage_.push_back(std::move(made));
  return storage_.back().get();
}

// Kept regions are sorted by where they begin. A region that covers the range begins no later than
// the range, and at most the longest kept length before the range's end.
Region* Cache::find(std::uintptr_t begin, std::uintptr_t end, bool writable) noexcept {
  auto place = std::upper_bound(kept_.begin(), kept_.end(), begin,
                                [](std::uintptr_t b, const Region* r) { return b < r->begin; });
  while (place != kept_.begin()) {
    Region* region = *--place;
    if (region->ready && !region->bound && region->end >= end && (region->writable || !writable))
      return region;
    if (region->begin + longest_ < end) break;
  }
  return nullptr;
}

void Cache::keep(Region* region) noexcept {
  region->kept = true;
  const auto place =
      std::upper_bound(kept_.begin(), kept_.end(), region->begin,
                       [](std::uintptr_t b, const Region* r) { return b < r->begin; });
  kept_.insert(place, region);  // within its capacity: new_region() has made room
  if (region->bound) {
    ++bound_;
    return;
  }
  kept_bytes_ += region->end - region->begin;
  longest_ = std::max<std::size_t>(longest_, region->end - region->begin);
}

void Cache::keep_limits() noexcept {
  while (kept_bytes_ > options_.max_bytes || kept_.size() - bound_ > options_.max_regions)
    if (!evict_one()) return;  // all the rest is in use
}

// Drops the region that has been unused for longest.
bool Cache::evict_one() noexcept {
  std::size_t oldest = kept_.size();
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (kept_[i]->users == 0 &&
        (oldest == kept_.size() || kept_[i]->last_use < kept_[oldest]->last_use))
      oldest = i;
  if (oldest == kept_.size()) return false;
  drop(oldest, {});
  return true;
}

// `gone`: pages that are no longer there, or that the watcher forgets.
void Cache::drop(std::size_t index, const PageRange& gone) noexcept {
  Region* region = kept_[index];
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(index));
  if (region->bound)
    --bound_;
  else
    kept_bytes_ -= region->end - region->begin;
  region->kept = false;
  if (region->users == 0) dropped_.push_back(region);
  end_watch(region->pages, gone);
}

void Cache::end_watch(const PageRange& pages, const PageRange& gone) noexcept {
  forget_unshared({pages.begin, std::min(gone.begin, pages.end)}, 0);
  forget_unshared({std::max(gone.end, pages.begin), pages.end}, 0);
}

// Forgets those of the pages that no kept region from the index `first` on shares. Pages left of
// one such region are compared with the regions behind it, pages right of it here.
void Cache::forget_unshared(PageRange pages, std::size_t first) noexcept {
  for (std::size_t i = first; i < kept_.size() && pages.begin < pages.end; ++i) {
    const PageRange& kept = kept_[i]->pages;
    if (!overlap(pages, kept)) continue;
    forget_unshared({pages.begin, kept.begin}, i + 1);
    pages.begin = kept.end;
  }
  if (pages.begin < pages.end) watcher_->forget(pages);
}

void Cache::unlist(Region* region) noexcept {
  const auto found = std::find(kept_.begin(), kept_.end(), region);
  if (found != kept_.end()) drop(static_cast<std::size_t>(found - kept_.begin()), {});
}

// By pages: a region of huge ones watches their whole mapping, all of which must still be there
// when the watch ends.
void Cache::invalidate(const PageRange& pages) noexcept {
  for (std::size_t i = kept_.size(); i-- > 0;) {
    if (!overlap(kept_[i]->pages, pages)) continue;
    std::atomic_ref(kept_[i]->stale).store(true, std::memory_order_release);
    drop(i, pages);
    ++statistics_.invalidations;
  }
}

void Cache::release(Region* region) noexcept {
  std::unique_lock lock(lock_);
  if (--region->users == 0) {
    if (!region->kept)
      dropped_.push_back(region);
    else if (region->bound)
      unlist(region);  // nobody else finds it
  }
  deregister_dropped(lock);
}

void Cache::share(Region* region) noexcept {
  const std::lock_guard lock(lock_);
  ++region->users;
}

void Cache::revoke(Region* region) noexcept {
  const std::lock_guard lock(lock_);
  unlist(region);
  ++region->revokers;
}

void Cache::release_revoked(Region* region) noexcept {
  {
    const std::lock_guard lock(lock_);
    --region->revokers;
  }
  release(region);
}

bool Cache::serves_others(const Region* region) const noexcept {
  const std::lock_guard lock(lock_);
  return region->users > region->revokers;
}

// Without the lock, as deregistering frees memory.
void Cache::deregister_dropped(std::unique_lock<std::mutex>& lock) noexcept {
  while (!dropped_.empty()) {
    Region* region = dropped_.back();
    dropped_.pop_back();
    lock.unlock();
    registrar_.remove(region->registration);
    lock.lock();
    free_.push_back(region);
  }
}

Cache::Statistics Cache::statistics() const {
  const std::lock_guard lock(lock_);
  Statistics result = statistics_;
  result.bytes = kept_bytes_;
  result.regions = kept_.size() - bound_;
  return result;
}

}  // namespace tutti::registration
