// This file is part of cafwire. See the file LICENSE for license terms.

#include "child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace cafwire::bench {

namespace {

void check(int code, const char* what) {
  if (code != 0)
    throw std::system_error{code, std::generic_category(), what};
}

double read_clock(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0)
    check(errno, "clock_gettime");
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A pipe whose ends are not inherited by other child processes.
struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    check(errno, "pipe2");
  return {ends[0], ends[1]};
}

std::atomic<const char*> pending_task{nullptr};

/// Runs when a deadline passes; calls only what signal handlers may call.
void on_deadline(int) {
  auto print = [](const char* text) {
    static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
  };
  print("deadline exceeded: ");
  auto* what = pending_task.load();
  print(what != nullptr ? what : "unknown task");
  print("\n");
  _exit(EXIT_FAILURE);
}

} // namespace

child_process::child_process(std::vector<std::string> args) {
  auto to_child = make_pipe();
  auto from_child = make_pipe();
  input_ = to_child.write;
  output_ = from_child.read;
  // The child's ends become its standard streams; `dup2` drops the close-on-exec flag.
  posix_spawn_file_actions_t actions;
  check(posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
  check(posix_spawn_file_actions_adddup2(&actions, to_child.read, STDIN_FILENO), "adddup2");
  check(posix_spawn_file_actions_adddup2(&actions, from_child.write, STDOUT_FILENO), "adddup2");
  constexpr auto program = "/proc/self/exe";
  std::vector<char*> argv{const_cast<char*>(program)};
  for (auto& arg : args)
    argv.push_back(arg.data());
  argv.push_back(nullptr);
  auto code = posix_spawn(&pid_, program, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to_child.read);
  close(from_child.write);
  check(code, "posix_spawn");
}

child_process::~child_process() {
  using namespace std::chrono_literals;
  close(input_);
  close(output_);
  for (auto attempt = 0; attempt < 500; ++attempt) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0)
      return;
    std::this_thread::sleep_for(10ms);
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

uint16_t child_process::read_port() {
  std::string line;
  char c = 0;
  while (read(output_, &c, 1) == 1 && c != '\n')
    line += c;
  uint16_t port = 0;
  auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), port);
  if (code != std::errc{} || end != line.data() + line.size())
    throw std::runtime_error{"the child process did not announce a port"};
  return port;
}

double child_process::cpu_seconds() const {
  clockid_t clock{};
  check(clock_getcpuclockid(pid_, &clock), "clock_getcpuclockid");
  return read_clock(clock);
}

double own_cpu_seconds() {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void announce_port(uint16_t port) {
  std::printf("%d\n", static_cast<int>(port));
  std::fflush(stdout);
}

void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void wait_for_parent() {
  char c = 0;
  while (read(STDIN_FILENO, &c, 1) > 0) {
    // nop
  }
}

deadline::deadline(const char* what, unsigned seconds) {
  pending_task = what;
  signal(SIGALRM, on_deadline);
  alarm(seconds);
}

deadline::~deadline() {
  alarm(0);
}

} // namespace cafwire::bench
