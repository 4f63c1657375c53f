// This file is part of cafwire. See the file LICENSE for license terms.

/// @file
/// Two processes on loopback exchange real records, over cafwire and over CAF's
/// own networking, and compare.

#include "client.hpp"
#include "server.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

constexpr size_t max_rounds = 100;

struct options {
  std::filesystem::path data_dir = CAFWIRE_EXAMPLES_DATA_DIR;
  size_t rounds = 5;
  std::string record_to;
  bool serve = false;
  bool help = false;
};

void print_usage(std::FILE* out) {
  std::fprintf(
    out,
    "usage: demo [--rounds N] [--data DIR] [--record DIR] [--help]\n"
    "\n"
    "Starts a second process, sends it flights and airports over cafwire and over CAF's\n"
    "own networking, and prints a table. Exits with 0 only if every record arrived intact.\n"
    "\n"
    "  --rounds N  time each kind of traffic N times (1 to %zu, default %zu)\n"
    "  --data DIR  folder with flights.csv and airports.csv\n"
    "  --record DIR  record what crosses cafwire's connections while bytes are counted, for\n"
    "              cafwire-dump: about 50 MB\n",
    max_rounds, options{}.rounds);
}

size_t parse_rounds(const std::string& text) {
  size_t result = 0;
  auto end = text.data() + text.size();
  auto [pos, code] = std::from_chars(text.data(), end, result);
  if (code != std::errc{} || pos != end || result < 1 || result > max_rounds)
    throw std::invalid_argument("--rounds takes a number from 1 to " + std::to_string(max_rounds));
  return result;
}

options parse(int argc, char** argv) {
  options result;
  for (int i = 1; i < argc; ++i) {
    auto name = std::string{argv[i]};
    auto value = [&]() -> std::string {
      if (++i == argc)
        throw std::invalid_argument(name + " takes a value");
      return argv[i];
    };
    if (name == "--rounds")
      result.rounds = parse_rounds(value());
    else if (name == "--data")
      result.data_dir = value();
    else if (name == "--record")
      result.record_to = value();
    else if (name == "--serve") // how the demo starts its second process
      result.serve = true;
    else if (name == "--help" || name == "-h")
      result.help = true;
    else
      throw std::invalid_argument("unknown option " + name);
  }
  return result;
}

} // namespace

int main(int argc, char** argv) {
  options opts;
  try {
    opts = parse(argc, argv);
  } catch (const std::invalid_argument& x) {
    std::fprintf(stderr, "demo: %s\n\n", x.what());
    print_usage(stderr);
    return 2;
  }
  if (opts.help) {
    print_usage(stdout);
    return EXIT_SUCCESS;
  }
  demo::init_types();
  if (opts.serve)
    return demo::run_server(opts.data_dir);
  try {
    if (!opts.record_to.empty())
      std::filesystem::create_directories(opts.record_to);
    demo::run_client(opts.data_dir, opts.rounds, opts.record_to);
    return EXIT_SUCCESS;
  } catch (const std::exception& x) {
    std::fprintf(stderr, "demo: %s\n", x.what());
    return EXIT_FAILURE;
  }
}
