// This file is part of cafwire. See the file LICENSE for license terms.

// Runs a fuzz target without a fuzzer: with its seeds, and with random changes of them. The same
// inputs each time, so that a test may do it.

#include "fuzz/target.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>

#include <unistd.h>

namespace {

constexpr auto usage = R"(Usage: replay                 run the seeds and 20000 changes of them
       replay --runs N         run the seeds and N changes of them
       replay --write FOLDER   write the seeds to files
       replay FILE...          run the content of files
)";

/// The input that runs right now.
std::string current;

/// Prints the input that did it, in hex. Only calls what signal handlers may call.
void on_crash(int signal) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view text = "replay: crashed with this input: ";
  auto put = [](const char* data, size_t size) { std::ignore = ::write(2, data, size); };
  put(text.data(), text.size());
  for (auto c : current) {
    auto x = static_cast<unsigned char>(c);
    char pair[] = {digits[x >> 4], digits[x & 15]};
    put(pair, 2);
  }
  put("\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(std::string bytes) {
  current = std::move(bytes);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(current.data()), current.size());
}

/// Changes a few places of an input.
class changer {
public:
  explicit changer(const std::vector<std::string>& seeds) : seeds_(seeds) {
    // nop
  }

  std::string next() {
    auto result = seeds_[below(seeds_.size())];
    for (auto n = below(4) + 1; n > 0; --n)
      change(result);
    return result;
  }

private:
  size_t below(size_t n) {
    return static_cast<size_t>(random_() % n);
  }

  void change(std::string& bytes) {
    auto at = below(bytes.size() + 1);
    switch (below(6)) {
      case 0: // flip a bit
        if (at < bytes.size())
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1: // a number that is special somewhere
        if (at < bytes.size())
          bytes[at] = "\0\1\2\x7f\x80\xff\xfe\x10"[below(8)];
        break;
      case 2: // cut
        bytes.resize(at);
        break;
      case 3: // leave some out
        bytes.erase(at, below(8));
        break;
      case 4: // repeat some
        bytes.insert(at, bytes.substr(at, below(20)));
        break;
      default: // go on with another seed
        auto& other = seeds_[below(seeds_.size())];
        bytes.resize(at);
        bytes += other.substr(std::min(at, other.size()));
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_{42};
};

int write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  auto index = 0;
  for (auto& seed : fuzz::seeds()) {
    std::ofstream out{folder / ("seed-" + std::to_string(index++)), std::ios::binary};
    if (!(out << seed).flush()) {
      std::fprintf(stderr, "replay: cannot write to %s\n", folder.c_str());
      return 1;
    }
  }
  return 0;
}

int run_file(const char* name) {
  std::ifstream in{name, std::ios::binary};
  if (!in) {
    std::fprintf(stderr, "replay: cannot read %s\n", name);
    return 1;
  }
  run({std::istreambuf_iterator<char>{in}, {}});
  return 0;
}

int run_changes(size_t num_runs) {
  auto seeds = fuzz::seeds();
  for (auto& seed : seeds)
    run(seed);
  changer changes{seeds};
  for (size_t i = 0; i < num_runs; ++i)
    run(changes.next());
  std::printf("%zu seeds, %zu changes of them\n", seeds.size(), num_runs);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  std::signal(SIGSEGV, on_crash);
  std::signal(SIGABRT, on_crash);
  if (argc == 1)
    return run_changes(20000);
  std::string_view option{argv[1]};
  if (option == "--runs" && argc == 3)
    return run_changes(std::strtoul(argv[2], nullptr, 10));
  if (option == "--write" && argc == 3)
    return write_seeds(argv[2]);
  if (option.starts_with("--")) {
    std::fputs(usage, stderr);
    return 2;
  }
  for (auto i = 1; i < argc; ++i)
    if (auto code = run_file(argv[i]); code != 0)
      return code;
  return 0;
}
