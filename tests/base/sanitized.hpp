// Whether a sanitizer is at work, so that what only repeats one thing for more sizes can be left to
// the other builds: an access takes up to twenty times as long.
#pragma once

namespace tutti::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// How far a test goes: as far as `all`, or with a sanitizer as `few`, which takes every path.
template <class T>
constexpr T unless_sanitized(T all, T few) noexcept {
  return kSanitized ? few : all;
}

}  // namespace tutti::tests
