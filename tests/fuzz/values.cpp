// This file is part of cafwire. See the file LICENSE for license terms.

// Values of many types. What a reader accepts, it can write, and read again.

#include "fuzz/target.hpp"
#include "support/bytes.hpp"
#include "support/specimens.hpp"

#include <cafwire/codec.hpp>
#include <cafwire/layout/schema.hpp>

#include <algorithm>
#include <functional>

namespace {

template <class T>
void check(std::span<const std::byte> bytes) {
  using cafwire::ec;
  test::exact_copy copy{bytes};
  T value{};
  if (cafwire::deserialize(copy.get(), cafwire::limits::untrusted(), value) != ec::none)
    return;
  cafwire::output_buffer first;
  fuzz::require(cafwire::serialize(first, value) == ec::none, "what was read can be written");
  // A container may take more memory than the input of another writer allowed for.
  T again{};
  fuzz::require(cafwire::deserialize(first.bytes(), cafwire::limits::trusted(), again) == ec::none,
                "what was written can be read");
  cafwire::output_buffer second;
  fuzz::require(cafwire::serialize(second, again) == ec::none, "it can be written again");
  fuzz::require(first.size() == second.size(), "it has its size again");
  // Unordered containers may have another order.
  auto& schema = cafwire::layout::schema_of<T>().text;
  if (schema.find("uset(") == std::string::npos && schema.find("umap(") == std::string::npos)
    fuzz::require(std::ranges::equal(first.bytes(), second.bytes()), "it has its bytes again");
}

/// One function for each type.
const std::vector<std::function<void(std::span<const std::byte>)>>& checks() {
  static const auto result = [] {
    std::vector<std::function<void(std::span<const std::byte>)>> fns;
    test::for_each_specimen([&fns]<class T>(const T&) { fns.emplace_back(check<T>); });
    return fns;
  }();
  return result;
}

} // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> result;
  test::for_each_specimen([&result](const auto& x) {
    cafwire::output_buffer out;
    fuzz::require(cafwire::serialize(out, x) == cafwire::ec::none, "a specimen can be written");
    std::string seed(1, static_cast<char>(result.size()));
    append(seed, out.bytes());
    result.push_back(std::move(seed));
  });
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::input in{data, size};
  auto& fns = checks();
  fns[in.choice() % fns.size()](in.rest());
  return 0;
}
