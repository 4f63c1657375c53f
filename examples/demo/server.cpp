// This file is part of cafwire. See the file LICENSE for license terms.

#include "server.hpp"

#include "collector.hpp"
#include "dataset.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace demo {

namespace {

constexpr auto greeting = "ports";

constexpr unsigned max_shutdown_seconds = 10;

void await_end_of_input() {
  char buf[64];
  for (;;) {
    auto n = ::read(STDIN_FILENO, buf, sizeof(buf));
    if (n == 0 || (n < 0 && errno != EINTR))
      return;
  }
}

void write_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

} // namespace

int run_server(const std::filesystem::path& data_dir) {
  try {
    auto data = load_dataset(data_dir);
    node local;
    auto hdl = spawn_collector(local.system(), data);
    std::string line = greeting;
    for (auto how : transports)
      line += ' ' + std::to_string(local.publish(how, hdl));
    write_line(line);
    await_end_of_input();
    // Nobody is left to end us if the shutdown hangs, so the system has to: SIGALRM kills.
    ::alarm(max_shutdown_seconds);
    caf::anon_send_exit(hdl, caf::exit_reason::user_shutdown);
    return EXIT_SUCCESS;
  } catch (const std::exception& x) {
    write_line(x.what());
    return EXIT_FAILURE;
  }
}

server_ports parse_ports(const std::string& line) {
  std::istringstream in{line};
  std::string word;
  server_ports result;
  if (in >> word && word == greeting && in >> result.cafwire >> result.stock)
    return result;
  throw std::runtime_error("the server process says: " + line);
}

} // namespace demo
