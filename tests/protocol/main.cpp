// The runner of the protocol tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
