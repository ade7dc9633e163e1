// Maybe: an object that is made later, or never. Like std::optional, except that its memory is not
// cleared first: with GCC 12 that took a third of the time of a reduction of 8 bytes.
#pragma once

#include <new>
#include <utility>

namespace tutti {

template <class T>
class Maybe {
 public:
  Maybe() noexcept {
  }  // NOLINT(modernize-use-equals-default): = default is deleted for a union of T
  ~Maybe() {
    if (made_) value_.~T();
  }
  Maybe(const Maybe&) = delete;
  Maybe& operator=(const Maybe&) = delete;

  // At most once.
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    T* const made = ::new (&value_) T(std::forward<Arguments>(arguments)...);
    made_ = true;
    return *made;
  }
  explicit operator bool() const noexcept { return made_; }
  T& operator*() noexcept { return value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

 private:
  union {
    T value_;
  };
  bool made_ = false;
};

}  // namespace tutti
