// libfmt's own code, compiled into Tutti, where no other copy in the process can take its place. It
// is compiled with -fkeep-inline-functions, so that this one file holds what all others call.
#define FMT_HEADER_ONLY
#include <fmt/format.h>
