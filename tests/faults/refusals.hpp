// Calls of Tutti to the system and to verbs that fail when they are told to. The program takes the
// place of the functions. Only calls from libtutti are counted; all others go through.
#pragma once

#include <string_view>

// From now on calls of that kind are counted (empty: of every kind), and the `which`-th fails; with
// `again`, all later calls of the same function, too. 0: none fails. Kinds: memory, maps, threads,
// copies, sockets; of verbs devices, registrations, completions, pairs.
void refuse(std::string_view kind, int which, bool again);
bool is_kind(std::string_view kind);
// Calls so far, and the function whose call has failed, or null.
int fallible_calls();
const char* refused();
