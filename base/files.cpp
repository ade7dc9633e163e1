// Files are opened without waiting for the other end of a pipe. A file is replaced by writing one
// beside it, under a name of this process, which then takes its place.
#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/no_size_signal.hpp"

namespace tutti {
namespace {

struct Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

[[noreturn]] void cannot_read(const std::string& path, std::string_view why, int error = 0) {
  throw Error(Code::bad_configuration, fmt::format("cannot read {:.200}: {}", path, why), kNoPeer,
              error);
}
[[noreturn]] void cannot_read(const std::string& path, int error) {
  cannot_read(path, std::strerror(error), error);
}
std::string why_not_written(const std::string& path, int error) {
  if (error == ENXIO) return "nobody reads this pipe or socket";
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (error == ENOENT && !folder.empty() && !std::filesystem::exists(folder, ignored))
    return fmt::format("the folder {:.200} does not exist", folder.string());
  return std::strerror(error);
}
[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw Error(Code::system,
              fmt::format("cannot write {:.200}: {}", path, why_not_written(path, error)), kNoPeer,
              error);
}

void check_kind(const Descriptor& file, const std::string& path, bool streams) {
  struct stat status;
  if (fstat(file.number, &status) != 0) cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) cannot_read(path, "it is a folder", EISDIR);
  const bool stream = S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
  if (!S_ISREG(status.st_mode) && !(stream && streams))
    cannot_read(path, stream ? "it is a pipe or a device, not a file" : "it is not a file");
}

// Whether there is more: false at the end.
bool read_piece(const Descriptor& file, const std::string& path, std::string& text) {
  constexpr std::size_t kPiece = 65536;
  const std::size_t before = text.size();
  text.resize(before + kPiece);
  const ssize_t got = read(file.number, text.data() + before, kPiece);
  const int error = errno;
  text.resize(before + static_cast<std::size_t>(got < 0 ? 0 : got));
  if (got >= 0) return got > 0;
  pollfd wanted{file.number, POLLIN, 0};
  if (error == EAGAIN) poll(&wanted, 1, -1);
  if (error != EAGAIN && error != EINTR) cannot_read(path, error);
  return true;
}

Descriptor open_for_reading(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

std::string read_all(const Descriptor& file, const std::string& path, bool streams,
                     std::size_t most) {
  if (file.number < 0) cannot_read(path, errno);
  check_kind(file, path, streams);
  std::string text;
  while (read_piece(file, path, text))
    if (text.size() > most)
      cannot_read(path, fmt::format("it is longer than {} MiB", most >> 20), EFBIG);
  return text;
}

// Like open(), but fails at once for a pipe that nobody reads. Later writes may wait.
// `named`: what the user calls the file.
int open_for_writing(const std::string& path, int how, const std::string& named) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | how, 0666);
  if (file < 0) cannot_write(named, errno);
  fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return file;
}

File stream_to(int number, const std::string& named) {
  File file(fdopen(number, "w"));
  if (!file) {
    const int error = errno;
    close(number);
    cannot_write(named, error);
  }
  return file;
}

void write_to(const std::string& path, int how, std::string_view text, const std::string& named) {
  const NoSizeSignal no_signal;  // nor where the file is closed, which writes once more
  const File file = stream_to(open_for_writing(path, how, named), named);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    cannot_write(named, errno);
}

}  // namespace

std::string read_file(const std::string& path, std::size_t most) {
  return read_all(open_for_reading(path), path, false, most);
}

std::optional<std::string> read_file_if_any(const std::string& path) {
  const Descriptor file = open_for_reading(path);
  if (file.number < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  return read_all(file, path, false, kMostBytes);
}

std::string read_stream(const std::string& path) {
  return read_all(open_for_reading(path), path, true, kMostBytes);
}

File begin_file(const std::string& path) {
  return stream_to(open_for_writing(path, O_TRUNC, path), path);
}

void make_folder_of(const std::string& path) {
  std::error_code ignored;
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
}

void must_be_writable(const std::string& path) {
  std::error_code ignored;
  const bool known = std::filesystem::exists(path, ignored);
  { const Descriptor opened(open_for_writing(path, O_APPEND, path)); }  // and closed
  if (!known) std::filesystem::remove(path, ignored);
}

void write_file(const std::string& path, std::string_view text) {
  // Only plain files can be replaced, not /dev/stdout, say.
  std::error_code error;
  const bool replace =
      !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
  const std::string unfinished = replace ? fmt::format("{}.{}", path, getpid()) : path;
  try {
    write_to(unfinished, O_TRUNC, text, path);
    if (replace && std::rename(unfinished.c_str(), path.c_str()) != 0) cannot_write(path, errno);
  } catch (const Error&) {
    if (replace) unlink(unfinished.c_str());
    throw;
  }
}

void append_to_file(const std::string& path, std::string_view text) {
  write_to(path, O_APPEND, text, path);
}

}  // namespace tutti
