// This file is part of cafwire. See the file LICENSE for license terms.

#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace demo {

namespace {

using clock_type = std::chrono::steady_clock;

struct pipe_ends {
  unique_fd read;
  unique_fd write;
};

pipe_ends make_pipe() {
  int fds[2];
  // Close-on-exec matters: a child that held the other end of its own input would never see it
  // close.
  if (::pipe2(fds, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  return {unique_fd{fds[0]}, unique_fd{fds[1]}};
}

std::string describe(int status) {
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

child_process::child_process(std::vector<std::string> args) {
  auto input = make_pipe();
  auto output = make_pipe();
  std::vector<char*> argv;
  for (auto& arg : args)
    argv.push_back(arg.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
  auto code = ::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    pid_ = -1;
    throw std::system_error(code, std::generic_category(), "cannot start the server process");
  }
  input_ = std::move(input.write);
  output_ = std::move(output.read);
}

child_process::~child_process() {
  kill();
}

std::string child_process::read_line(std::chrono::milliseconds timeout) {
  std::string result;
  auto deadline = clock_type::now() + timeout;
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock_type::now());
    pollfd entry{output_.get(), POLLIN, 0};
    auto ready = ::poll(&entry, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready == 0)
      throw std::runtime_error("the server process does not say anything");
    if (ready < 0 && errno == EINTR)
      continue;
    char c = 0;
    auto n = ::read(output_.get(), &c, 1);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      throw std::runtime_error("the server process closed its output");
    if (c == '\n')
      return result;
    result += c;
  }
}

std::optional<std::string> child_process::ended() {
  std::lock_guard guard{mtx_};
  if (!status_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_)
      return std::nullopt;
    status_ = status;
  }
  return describe(*status_);
}

std::optional<std::string> child_process::ended_within(std::chrono::milliseconds timeout) {
  auto deadline = clock_type::now() + timeout;
  for (;;) {
    auto result = ended();
    if (result || clock_type::now() >= deadline)
      return result;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

void child_process::kill() {
  std::lock_guard guard{mtx_};
  if (status_)
    return; // the system may have given its process id to another one by now
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR)
    ; // nop
  status_ = status;
}

void child_process::stop(std::chrono::milliseconds timeout) {
  input_.reset();
  auto how = ended_within(timeout);
  if (!how) {
    kill();
    throw std::runtime_error("the server process did not end when it was asked to");
  }
  if (*how != describe(0))
    throw std::runtime_error("the server process ended with " + *how);
}

} // namespace demo
