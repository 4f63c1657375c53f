// This file is part of cafwire. See the file LICENSE for license terms.

#include "alloc_counter.hpp"

#include "process_allocs.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define CAFWIRE_BENCH_SANITIZED
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#    define CAFWIRE_BENCH_SANITIZED
#  endif
#endif

#if defined(__GLIBC__) && !defined(CAFWIRE_BENCH_SANITIZED)
#  define CAFWIRE_BENCH_COUNTS_ALLOCS
#endif

namespace cafwire::bench {

namespace {

constinit thread_local alloc_totals totals;

constinit std::atomic<bool> counts_process{false};

constinit std::atomic<uint64_t> process_calls{0};

constinit std::atomic<uint64_t> process_bytes{0};

} // namespace

process_allocs::process_allocs() noexcept {
  process_calls = 0;
  process_bytes = 0;
  counts_process = true;
}

process_allocs::~process_allocs() {
  counts_process = false;
}

alloc_totals process_allocs::totals() const noexcept {
  return {process_calls, process_bytes};
}

alloc_totals current_allocs() noexcept {
  return totals;
}

bool counts_allocs() noexcept {
#ifdef CAFWIRE_BENCH_COUNTS_ALLOCS
  return true;
#else
  return false;
#endif
}

} // namespace cafwire::bench

#ifdef CAFWIRE_BENCH_COUNTS_ALLOCS

// The C library's own entry points. Memory from them is freed by the C library's `free`, which
// stays in place.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

void count(size_t bytes) noexcept {
  using namespace cafwire::bench;
  ++totals.calls;
  totals.bytes += bytes;
  if (counts_process.load(std::memory_order_relaxed)) [[unlikely]] {
    process_calls.fetch_add(1, std::memory_order_relaxed);
    process_bytes.fetch_add(bytes, std::memory_order_relaxed);
  }
}

} // namespace

extern "C" {

void* malloc(size_t size) noexcept {
  count(size);
  return __libc_malloc(size);
}

void* calloc(size_t n, size_t size) noexcept {
  count(n * size);
  return __libc_calloc(n, size);
}

void* realloc(void* ptr, size_t size) noexcept {
  count(size);
  return __libc_realloc(ptr, size);
}

void* memalign(size_t alignment, size_t size) noexcept {
  count(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  count(size);
  auto* ptr = __libc_memalign(alignment, size);
  if (ptr == nullptr)
    return ENOMEM;
  *result = ptr;
  return 0;
}

} // extern "C"

#endif
