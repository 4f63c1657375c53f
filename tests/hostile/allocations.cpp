// This file is part of cafwire. See the file LICENSE for license terms.

#include "hostile/allocations.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr auto never = std::numeric_limits<size_t>::max();

thread_local bool watching = false;
thread_local size_t largest_request = 0;
thread_local size_t until_failure = never;
thread_local bool has_failed = false;

void* allocate(size_t num_bytes) {
  if (watching)
    largest_request = std::max(largest_request, num_bytes);
  if (until_failure != never && until_failure-- == 0) {
    until_failure = never;
    has_failed = true;
    throw std::bad_alloc{};
  }
  if (auto* result = std::malloc(std::max(num_bytes, size_t{1})))
    return result;
  throw std::bad_alloc{};
}

} // namespace

void* operator new(size_t num_bytes) {
  return allocate(num_bytes);
}

void* operator new[](size_t num_bytes) {
  return allocate(num_bytes);
}

void operator delete(void* ptr) noexcept {
  std::free(ptr);
}

void operator delete[](void* ptr) noexcept {
  std::free(ptr);
}

void operator delete(void* ptr, size_t) noexcept {
  std::free(ptr);
}

void operator delete[](void* ptr, size_t) noexcept {
  std::free(ptr);
}

namespace hostile {

allocation_watch::allocation_watch() {
  largest_request = 0;
  watching = true;
}

allocation_watch::~allocation_watch() {
  watching = false;
}

size_t allocation_watch::largest() const noexcept {
  return largest_request;
}

allocation_failure::allocation_failure(size_t skip) {
  has_failed = false;
  until_failure = skip;
}

allocation_failure::~allocation_failure() {
  until_failure = never;
}

bool allocation_failure::happened() const noexcept {
  return has_failed;
}

} // namespace hostile
