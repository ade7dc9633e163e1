// Files are read back as written; paths to folders, pipes and devices never block the caller.
#include "base/files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "tests/base/settings_folder.hpp"

using namespace tutti;
using Catch::Contains;
using Catch::EndsWith;

namespace {

struct Paths : tests::SettingsFolder {
  const std::string file = path + "/file", pipe = path + "/pipe", none = path + "/none";
  Paths() { REQUIRE(mkfifo(pipe.c_str(), 0600) == 0); }
};

std::set<std::string> entries_of(const std::string& folder) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) found.insert(entry.path());
  return found;
}

}  // namespace

TEST_CASE("a limit on the size of files is an error, and no signal", "[files]") {
  const Paths at;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit low{1000, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
  int error = 0;
  try {
    write_file(at.file, std::string(100000, 'x'));
  } catch (const Error& what) {
    error = what.system_errno;
  }
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(error == EFBIG);
  CHECK(entries_of(at.path) == std::set{at.pipe, at.path + "/tutti"});  // nothing half written
}

TEST_CASE("a file comes back as it was written", "[files]") {
  const Paths at;
  CHECK_FALSE(read_file_if_any(at.file));
  std::string text(200000, 'x');
  text += '\0';
  write_file(at.file, text);
  CHECK(read_file(at.file) == text);
  CHECK(read_file_if_any(at.file) == text);
  CHECK(read_stream(at.file) == text);
  append_to_file(at.file, "more");
  CHECK(read_file(at.file) == text + "more");
  begin_file(at.file);
  CHECK(read_file(at.file).empty());
  CHECK_FALSE(read_file("/proc/self/maps").empty());  // a file whose size is said to be 0
}

TEST_CASE("what is no file is named, and not waited for", "[files]") {
  const Paths at;
  CHECK_THROWS_WITH(read_file(at.none), "cannot read " + at.none + ": No such file or directory");
  CHECK_THROWS_WITH(read_file(at.path), "cannot read " + at.path + ": it is a folder");
  CHECK_THROWS_WITH(read_stream(at.path), EndsWith(": it is a folder"));
  for (const std::string& path : {at.pipe, std::string("/dev/zero")}) {
    CHECK_THROWS_WITH(read_file(path),
                      "cannot read " + path + ": it is a pipe or a device, not a file");
    CHECK_THROWS_WITH(read_file_if_any(path), Contains("not a file"));
  }
  try {
    read_file(at.path + "/" + std::string(100000, 'x'));
    FAIL();
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    CHECK(error.system_errno == ENAMETOOLONG);
    CHECK(error.message.size() < 300);
  }
}

TEST_CASE("what is too long is not read", "[files]") {
  const Paths at;
  write_file(at.file, "a little");
  CHECK_THROWS_WITH(read_file(at.file, 7), Contains("longer than"));
  CHECK(read_file(at.file, 8) == "a little");
  std::filesystem::resize_file(at.file, kMostBytes + 1);
  CHECK_THROWS_WITH(read_file(at.file), EndsWith("it is longer than 64 MiB"));
  CHECK(read_file(at.file, kAnyLength).size() == kMostBytes + 1);
  CHECK_THROWS_WITH(read_stream("/dev/zero"), EndsWith("it is longer than 64 MiB"));
}

TEST_CASE("a pipe that is given on purpose is read to its end", "[files]") {
  const Paths at;
  CHECK(read_stream(at.pipe).empty());  // nobody writes
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::thread writer([&] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (write(ends[1], "some ", 5) != 5) return;
    }
    close(ends[1]);
  });
  CHECK(read_stream("/proc/self/fd/" + std::to_string(ends[0])) == "some some some ");
  writer.join();
  close(ends[0]);
}

TEST_CASE("what cannot be written is named, and not waited for", "[files]") {
  const Paths at;
  const std::string unread = "cannot write " + at.pipe + ": nobody reads this pipe or socket";
  CHECK_THROWS_WITH(begin_file(at.pipe), unread);
  CHECK_THROWS_WITH(must_be_writable(at.pipe), unread);
  CHECK_THROWS_WITH(write_file(at.pipe, "text"), unread);
  CHECK_THROWS_WITH(begin_file(at.path), EndsWith("Is a directory"));
  CHECK_THROWS_WITH(must_be_writable(at.path), EndsWith("Is a directory"));
  CHECK_THROWS_WITH(write_file("/dev/full", "text"),
                    "cannot write /dev/full: No space left on device");
  // Errors name the path that the user gave, and not the temporary file that is written first.
  const std::string nowhere = at.none + "/z.svg";
  const std::string missing =
      "cannot write " + nowhere + ": the folder " + at.none + " does not exist";
  CHECK_THROWS_WITH(write_file(nowhere, "text"), missing);
  CHECK_THROWS_WITH(append_to_file(nowhere, "text"), missing);
  CHECK_THROWS_WITH(write_file(at.path, "text"), "cannot write " + at.path + ": Is a directory");
  CHECK_THROWS_WITH(must_be_writable(at.path + "/new/file"),
                    EndsWith(": the folder " + at.path + "/new does not exist"));
  CHECK_FALSE(std::filesystem::exists(at.path + "/new"));
  make_folder_of(at.path + "/new/file");
  must_be_writable(at.path + "/new/file");
  CHECK_FALSE(std::filesystem::exists(at.path + "/new/file"));
  const int reader = open(at.pipe.c_str(), O_RDONLY | O_NONBLOCK);
  must_be_writable(at.pipe);
  write_file(at.pipe, "text");
  char got[8];
  CHECK(read(reader, got, sizeof got) == 4);
  close(reader);
}
