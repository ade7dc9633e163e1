// Calls of Tutti to the system and to verbs that fail when they are told to. The program takes the
// place of the functions. Only calls from libtutti are counted; all others go through.
#pragma once

// From now on calls are counted, and the `which`-th fails; with `again`, all later calls of the
// same function, too. 0: none fails.
void refuse(int which, bool again);
// Calls so far, and the function whose call has failed, or null.
int fallible_calls();
const char* refused();
