// A function that is borrowed for the length of a call: what std::function is without owning, so
// that nothing is allocated.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace tutti {

template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  // `function` must outlive the reference.
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>)
      FunctionRef(Function&& function)
  noexcept  // NOLINT(google-explicit-constructor)
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* at, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<Function>*>(at))(
              std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(function_, std::forward<Args>(args)...); }

 private:
  void* function_;
  Result (*call_)(void*, Args...);
};

}  // namespace tutti
