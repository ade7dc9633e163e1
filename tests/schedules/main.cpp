// Catch2's entry point for the tests of schedules.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
