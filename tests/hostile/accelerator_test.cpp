// This file is part of cafwire. See the file LICENSE for license terms.

// Accelerated types in CAF's own format: lengths that lie must not make a reader allocate.

#include "cafwire/message/accelerator.hpp"

#include "hostile/allocations.hpp"
#include "support/codec.hpp"

#include <caf/byte_buffer.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace {

struct item {
  int64_t number = 0;
  std::optional<uint8_t> extra;
};

template <class Inspector>
bool inspect(Inspector& f, item& x) {
  return f.object(x).fields(f.field("number", x.number), f.field("extra", x.extra));
}

struct pixel {
  uint8_t red = 0;
  bool visible = false;
};

template <class Inspector>
bool inspect(Inspector& f, pixel& x) {
  return f.object(x).fields(f.field("red", x.red), f.field("visible", x.visible));
}

struct outcome {
  bool ok;
  size_t largest_allocation;
};

template <class T>
outcome watch_loading(const test::bytes& bytes) {
  std::vector<T> xs;
  hostile::allocation_watch watch;
#if CAFWIRE_CAF_1
  caf::binary_deserializer f{bytes.data(), bytes.size()};
#else
  caf::binary_deserializer f{nullptr, bytes.data(), bytes.size()};
#endif
  auto ok = f.apply(xs);
  return {ok, watch.largest()};
}

test::bytes with_length(uint64_t n, size_t num_bytes) {
  std::byte varint[cafwire::max_varint_size];
  auto* end = cafwire::write_varint(varint, n);
  test::bytes result(varint, end);
  result.insert(result.end(), num_bytes, std::byte{0});
  return result;
}

} // namespace

CAFWIRE_ACCELERATE(item)
CAFWIRE_ACCELERATE(pixel)

TEST_CASE("the accelerator allocates nothing for lengths that exceed the input") {
  for (unsigned bit = 8; bit < 64; ++bit) {
    for (size_t size : {0, 1, 100, 200}) {
      auto wire = with_length(uint64_t{1} << bit, size);
      auto items = watch_loading<item>(wire);
      CHECK_FALSE(items.ok);
      CHECK(items.largest_allocation < 2000);
      auto pixels = watch_loading<pixel>(wire);
      CHECK_FALSE(pixels.ok);
      CHECK(pixels.largest_allocation < 2000);
    }
  }
}

TEST_CASE("without memory the accelerator fails and throws nothing") {
  auto wire = with_length(1000, 14 + 2000);
  auto failures = 0;
  for (size_t skip = 0; skip < 4; ++skip) {
    std::vector<pixel> xs;
    hostile::allocation_failure failure{skip};
#if CAFWIRE_CAF_1
    caf::binary_deserializer f{wire.data(), wire.size()};
#else
    caf::binary_deserializer f{nullptr, wire.data(), wire.size()};
#endif
    auto ok = f.apply(xs);
    CHECK((ok || failure.happened()));
    failures += ok ? 0 : 1;
  }
  CHECK(failures > 0);
}
