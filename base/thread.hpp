// Threads of Tutti's own, beside the application's.
#pragma once

#include <functional>
#include <thread>

namespace tutti {

// Starts a thread that runs `body`. It blocks all signals but those of its own faults, so that the
// application's threads get what is sent to the process. `name`, of at most 15 characters, is what
// debuggers and ps(1) show. Throws Error{system} if the system gives no more threads.
std::thread start_helper(const char* name, std::function<void()> body);

}  // namespace tutti
