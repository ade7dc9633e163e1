// The parameters that `tutti measure --save` keeps for this user: one file for each wire (shm, rxe,
// hardware, mpi), in the format of models/platform/json.hpp. Files and the environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/platform/platform.hpp"

namespace tutti::models {

// This machine as /proc/cpuinfo describes it; "unknown" where it names no processor.
Machine this_machine(const std::string& cpuinfo = "/proc/cpuinfo");

// The origin of what is measured here and now, by this command. The wire is left open.
Origin origin_here(std::string command);

// Where the parameters of a wire are kept: $XDG_CONFIG_HOME/tutti/measured-WIRE.json, or
// ~/.config/tutti/…; empty if neither XDG_CONFIG_HOME nor HOME is set.
std::string saved_file(std::string_view wire);

// Why parameters are not those of this wire on this machine; nothing: they are. Pure.
std::optional<std::string> why_foreign(const Platform& platform, const Machine& here,
                                       std::string_view wire);

// The content of saved_file(wire); nullopt: there is no such file. Throws Error{bad_configuration},
// which names the file: it cannot be read, is no JSON, of an older format, or of another machine or
// wire.
std::optional<Platform> read_saved(std::string_view wire, const Machine& here);
// Puts parameters where those of their wire are kept; returns the file. Throws Error{system |
// bad_configuration}: it cannot be written, or the environment says of no place.
std::string keep(const Platform& platform);

}  // namespace tutti::models
