// This file is part of cafwire. See the file LICENSE for license terms.

// Full tables: the writer sends a reset record and starts over.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/message_builder.hpp>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

session_options small_tables(size_t types, size_t signatures) {
  session_options result;
  result.bounds.max_type_slots = types;
  result.bounds.max_signature_slots = signatures;
  return result;
}

/// Writes and reads with the same options.
struct conversation {
  serializer_session writer;
  deserializer_session reader;
  output_buffer out;
  size_t resets = 0;

  explicit conversation(const session_options& options)
    : writer(known_types::global(), options), reader(known_types::global(), options) {
    // nop
  }

  template <class... Ts>
  void send(const Ts&... xs) {
    out.clear();
    REQUIRE(writer.write(out, xs...) == ec::none);
    if (out.size() > 2 && out.data()[0] == std::byte{0} && out.data()[1] == std::byte{3})
      ++resets;
    input_cursor in{out.bytes()};
    std::tuple<Ts...> ys;
    REQUIRE(std::apply([&](auto&... zs) { return reader.read(in, zs...); }, ys) == ec::none);
    CHECK(ys == std::tuple<Ts...>{xs...});
    CHECK(in.at_end());
  }
};

} // namespace

TEST_CASE("a full table of signatures starts over") {
  conversation x{small_tables(4096, 2)};
  x.send(point{1, 2, 3});
  x.send(int32_t{5});
  CHECK(x.resets == 0);
  x.send(int32_t{5}, int32_t{6});
  CHECK(x.resets == 1);
  x.send(point{1, 2, 3});
  CHECK(x.resets == 1);
  // Definitions that the reset has taken away are made again.
  for (auto i = 0; i < 20; ++i) {
    x.send(point{i, 2, 3});
    x.send(int32_t{i});
    x.send(reading{"sensor", {1.0 * i}});
  }
  CHECK(x.resets > 10);
}

TEST_CASE("a full table of types starts over") {
  conversation x{small_tables(2, 65536)};
  x.send(point{1, 2, 3}, reading{"a", {}});
  CHECK(x.resets == 0);
  x.send(track{"t", {}});
  CHECK(x.resets == 1);
  x.send(point{1, 2, 3});
  CHECK(x.resets == 1);
  // Types that are known take no new slot.
  x.send(track{"u", {}}, point{});
  CHECK(x.resets == 1);
}

TEST_CASE("a message whose own types do not fit into the table is refused") {
  serializer_session writer{known_types::global(), small_tables(1, 65536)};
  output_buffer out;
  REQUIRE(writer.write(out, point{}) == ec::none);
  auto size = out.size();
  CHECK(writer.write(out, point{}, reading{}) == ec::table_full);
  CHECK(out.size() == size);
  // The table is as it was.
  REQUIRE(writer.write(out, point{}) == ec::none);
  CHECK(out.size() == size + 14);
}

TEST_CASE("a type that occurs more than once in a message takes one slot") {
  conversation x{small_tables(1, 65536)};
  x.send(point{1, 2, 3}, point{4, 5, 6}, point{7, 8, 9});
  CHECK(x.resets == 0);
}

TEST_CASE("a known type does not count when a table is nearly full") {
  conversation x{small_tables(2, 65536)};
  x.send(point{1, 2, 3});
  x.send(point{1, 2, 3}, track{"t", {}});
  CHECK(x.resets == 0);
}

TEST_CASE("a reset on demand makes both sides forget") {
  conversation x{{}};
  x.send(point{1, 2, 3});
  x.send(point{1, 2, 3});
  auto definitions = x.writer.definitions();
  x.writer.reset();
  x.writer.reset();
  x.send(point{4, 5, 6});
  CHECK(x.resets == 1);
  CHECK(x.writer.definitions() == definitions + 2);
  CHECK(x.reader.definitions() == definitions + 2);
}

TEST_CASE("a reader with smaller tables than the writer ends the stream") {
  serializer_session writer;
  output_buffer out;
  REQUIRE(writer.write(out, point{}) == ec::none);
  REQUIRE(writer.write(out, track{}) == ec::none);
  SECTION("types") {
    deserializer_session reader{known_types::global(), small_tables(1, 65536)};
    input_cursor in{out.bytes()};
    caf::message msg;
    CHECK(reader.read_message(in, msg) == ec::none);
    CHECK(reader.read_message(in, msg) == ec::table_full);
    CHECK(reader.status() == read_status::broken);
  }
  SECTION("signatures") {
    deserializer_session reader{known_types::global(), small_tables(4096, 1)};
    input_cursor in{out.bytes()};
    caf::message msg;
    CHECK(reader.read_message(in, msg) == ec::none);
    CHECK(reader.read_message(in, msg) == ec::table_full);
    CHECK(reader.status() == read_status::broken);
  }
}
