// This file is part of cafwire. See the file LICENSE for license terms.

#include "alloc_counter.hpp"

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

} // namespace

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
  ++cafwire::bench::totals.calls;
  cafwire::bench::totals.bytes += bytes;
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
