// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace threads_test {

/// How many threads the tests run.
inline constexpr size_t num_threads = 8;

/// Runs `body(index)` in all threads at once, and waits until all of them have returned. The body
/// returns whether all went well: assertions of Catch2 belong to one thread.
/// @returns how many threads said no.
template <class Body>
size_t failures_of_all(Body body) {
  std::barrier start{static_cast<std::ptrdiff_t>(num_threads)};
  std::vector<char> ok(num_threads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < num_threads; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      ok[i] = body(i);
    });
  for (auto& x : threads)
    x.join();
  size_t result = 0;
  for (auto x : ok)
    result += x == 0;
  return result;
}

} // namespace threads_test
