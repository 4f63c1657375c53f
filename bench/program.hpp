// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <benchmark/benchmark.h>

#include <string>

namespace cafwire::bench {

/// What a benchmark program starts with: takes the arguments of Google Benchmark, with a minimum
/// time of 0.1 seconds as default, and writes the versions and flags of the build into the JSON
/// context.
/// @returns whether the arguments were understood.
bool initialize(int argc, char** argv);

/// Marks a benchmark as failed. Google Benchmark reports the message, but ends successfully: `run`
/// remembers the failure.
void report_failure(benchmark::State& state, const char* what);

/// Runs the registered benchmarks that the arguments select.
/// @returns the exit code of the program: failure if any benchmark failed.
int run();

/// What `main` of a program does whose parts may throw: runs it, and says what it has thrown.
/// @returns the exit code of the program.
int run_guarded(int (*program)(int, char**), int argc, char** argv);

/// Returns the version of CAF as text, for example "0.18.7".
std::string caf_version();

} // namespace cafwire::bench
