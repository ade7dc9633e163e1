// Objects that a thread keeps from one call to the next.
#pragma once

#include <utility>

namespace tutti {

// The T of this thread, deleted with it. Exit handlers run after that, and get another one.
template <class T>
T& of_this_thread() {
  static thread_local T* object = nullptr;
  struct Owner {
    ~Owner() { delete std::exchange(object, nullptr); }
    void begin() const noexcept {}
  };
  static thread_local const Owner owner;
  owner.begin();
  if (!object) object = new T;
  return *object;
}

}  // namespace tutti
