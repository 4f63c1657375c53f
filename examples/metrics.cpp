// This file is part of cafwire. See the file LICENSE for license terms.

// Two actor systems talk over a link, and the metrics of one of them are shown while they do, as a
// monitoring system would read them. `example_metrics --seconds=30` runs for 30 seconds.

#include <cafwire/all.hpp>
#include <cafwire/remoting.hpp>

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <caf/telemetry/collector/prometheus.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

using clock_type = std::chrono::steady_clock;

caf::behavior upper_case(caf::event_based_actor*) {
  return {[](std::string& text) {
    for (auto& c : text)
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return std::move(text);
  }};
}

/// Prints what CAF's registry knows about links.
/// @returns how many metrics that are.
size_t show(const caf::actor_system& sys, bool on_terminal) {
  constexpr auto prefix = std::string_view{"cafwire_link_"};
  caf::telemetry::collector::prometheus collector;
  auto collected = collector.collect_from(sys.metrics());
  auto text = std::string_view{collected.data(), collected.size()};
  if (on_terminal)
    std::cout << "\x1b[H\x1b[2J";
  size_t result = 0;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
    // Comments explain each metric, and the buckets of a histogram would fill the screen.
    if (line.substr(0, prefix.size()) != prefix || line.find("_bucket") != line.npos)
      continue;
    auto space = line.find(' ');
    auto value = line.substr(space + 1);
    std::cout << std::left << std::setw(48) << line.substr(0, space) << std::right << std::setw(20)
              << value.substr(0, value.find(' ')) << '\n';
    ++result;
  }
  std::cout << std::flush;
  return result;
}

struct config : caf::actor_system_config {
  uint32_t seconds = 1;

  config() {
    opt_group{custom_options_, "global"}.add(seconds, "seconds,s", "how long to run");
  }
};

int caf_main(caf::actor_system& server, const config& arguments) {
  cafwire::link_options options;
  options.metrics_interval = std::chrono::milliseconds{100};
  cafwire::remoting server_net{server, options};
  auto port = server_net.publish(server.spawn(upper_case), 0);
  caf::actor_system_config cfg;
  caf::actor_system client{cfg.load<caf::io::middleman>()};
  cafwire::remoting client_net{client, options};
  auto remote = client_net.remote_actor("127.0.0.1", *port);
  if (!remote)
    return EXIT_FAILURE;
  auto ask = caf::make_function_view(*remote);
  auto on_terminal = ::isatty(STDOUT_FILENO) != 0;
  auto end = clock_type::now() + std::chrono::seconds{arguments.seconds};
  size_t lines = 0;
  while (clock_type::now() < end) {
    for (auto next = clock_type::now() + std::chrono::milliseconds{250}; clock_type::now() < next;)
      if (!ask(std::string{"hello"}))
        return EXIT_FAILURE;
    lines = show(client, on_terminal);
  }
  return lines > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

CAFWIRE_MAIN(caf::io::middleman)
