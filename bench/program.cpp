// This file is part of cafwire. See the file LICENSE for license terms.

#include "program.hpp"

#include <caf/config.hpp>

#if __has_include(<caf/detail/build_config.hpp>)
#  include <caf/detail/build_config.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace cafwire::bench {

namespace {

bool any_failure = false;

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

std::string flags() {
#ifdef CAFWIRE_BENCH_FLAGS
  std::string result = CAFWIRE_BENCH_FLAGS;
#else
  std::string result = "flags not recorded";
#endif
#ifndef NDEBUG
  result += " (with assertions)";
#endif
#ifndef __OPTIMIZE__
  result += " (not optimized)";
#endif
  return result;
}

std::string cafwire_version() {
#ifdef CAFWIRE_BENCH_VERSION
  return CAFWIRE_BENCH_VERSION;
#else
  return "not recorded";
#endif
}

} // namespace

std::string caf_version() {
  // CAF 1.x defines CAF_VERSION as an octal literal, so only the parts can be trusted.
  return std::to_string(CAF_MAJOR_VERSION) + '.' + std::to_string(CAF_MINOR_VERSION) + '.'
         + std::to_string(CAF_PATCH_VERSION);
}

bool initialize(int argc, char** argv) {
  // The last occurrence of a flag wins, so the defaults come before what the user passes.
  std::string min_time = "--benchmark_min_time=0.1";
  std::string tabular = "--benchmark_counters_tabular=true";
  std::vector<char*> args{argv[0], min_time.data(), tabular.data()};
  args.insert(args.end(), argv + 1, argv + argc);
  auto count = static_cast<int>(args.size());
  args.push_back(nullptr);
  benchmark::Initialize(&count, args.data());
  if (benchmark::ReportUnrecognizedArguments(count, args.data()))
    return false;
  benchmark::AddCustomContext("caf_version", caf_version());
  benchmark::AddCustomContext("cafwire_version", cafwire_version());
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("build_flags", flags());
  return true;
}

void report_failure(benchmark::State& state, const char* what) {
  any_failure = true;
  state.SkipWithError(what);
}

int run() {
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return any_failure ? EXIT_FAILURE : EXIT_SUCCESS;
}

int run_guarded(int (*program)(int, char**), int argc, char** argv) {
  try {
    return program(argc, argv);
  } catch (const std::exception& ex) {
    std::fprintf(stderr, "%s: %s\n", argv[0], ex.what());
    return EXIT_FAILURE;
  }
}

} // namespace cafwire::bench
