// Whether a sanitizer is at work, so that what only repeats one thing for more sizes can be left to
// the other builds: an access takes up to twenty times as long.
#pragma once

namespace tutti::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tutti::tests
