// This file is part of cafwire. See the file LICENSE for license terms.

#include "net/peer_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace net_test {

namespace {

constexpr auto deadline = std::chrono::seconds{20};

/// Reads a line that holds a number.
uint16_t read_port(int fd) {
  std::string line;
  while (line.empty() || line.back() != '\n') {
    pollfd entry{fd, POLLIN, 0};
    constexpr auto ms = std::chrono::milliseconds{deadline}.count();
    char c = 0;
    if (::poll(&entry, 1, static_cast<int>(ms)) <= 0 || ::read(fd, &c, 1) != 1)
      throw std::runtime_error("the helper program names no port");
    line += c;
  }
  return static_cast<uint16_t>(std::stoi(line));
}

} // namespace

peer_process::peer_process(const std::string& name) {
  // The programs of another build may stand in for those of this one.
  auto* other_dir = std::getenv("CAFWIRE_TEST_PROGRAMS_DIR");
  auto path = std::string{other_dir != nullptr ? other_dir : CAFWIRE_TEST_PROGRAMS_DIR} + '/'
              + name;
  int to_child[2];
  int from_child[2];
  if (::pipe2(to_child, O_CLOEXEC) != 0 || ::pipe2(from_child, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
  char* const args[] = {path.data(), nullptr};
  auto code = ::posix_spawn(&pid_, path.c_str(), &actions, nullptr, args, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(to_child[0]);
  ::close(from_child[1]);
  input_ = to_child[1];
  if (code != 0) {
    pid_ = -1;
    ::close(from_child[0]);
    ::close(input_);
    throw std::runtime_error("cannot start " + path);
  }
  try {
    port_ = read_port(from_child[0]);
  } catch (...) {
    ::close(from_child[0]);
    kill();
    throw;
  }
  ::close(from_child[0]);
}

peer_process::~peer_process() {
  kill();
}

size_t peer_process::resident_bytes() const {
  std::ifstream in{"/proc/" + std::to_string(pid_) + "/statm"};
  size_t total = 0;
  size_t resident = 0;
  in >> total >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

void peer_process::kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  if (input_ >= 0)
    ::close(input_);
  input_ = -1;
}

int peer_process::stop() {
  ::close(input_);
  input_ = -1;
  auto end = std::chrono::steady_clock::now() + deadline;
  while (std::chrono::steady_clock::now() < end) {
    auto status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  kill();
  return -1;
}

} // namespace net_test
