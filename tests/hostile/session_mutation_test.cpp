// This file is part of cafwire. See the file LICENSE for license terms.

// Streams with bytes that no writer has written. Whatever they are, a reader neither crashes nor
// hangs, asks for little memory, and ends with messages or with a named error.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "hostile/allocations.hpp"
#include "support/catch.hpp"
#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/all.hpp>
#include <caf/deep_to_string.hpp>

#include <random>
#include <stdexcept>

using namespace cafwire;
using namespace session_test;

namespace {

/// A stream with all kinds of records and values.
const byte_vector& recorded_stream() {
  static const auto result = [] {
    serializer_session writer;
    output_buffer out;
    auto must = [](ec code) {
      if (code != ec::none)
        throw std::logic_error{to_string(code)};
    };
    caf::settings settings;
    settings["k"] = caf::config_value{1};
    must(writer.write(out, color::blue, std::vector<caf::config_value>(1)));
    must(writer.write(out, std::string{"ab"}, true, std::set<std::string>{"a", "b"}, settings));
    must(writer.write(out, caf::make_error(caf::sec::invalid_argument, color::red)));
    must(writer.write(out, point{1, 2, 3}));
    must(writer.write(out, point{4, 5, 6}));
    writer.reset();
    must(writer.write(out, caf::make_message(fault::jammed, caf::make_message(2.0f))));
    must(writer.write(out));
    must(writer.write(out, caf::node_id{}, caf::actor{}, caf::uri{}));
    return to_vector(out.bytes());
  }();
  return result;
}

/// Reads a stream to its end, and throws if the session does not behave.
/// @returns the number of messages.
size_t read_all(std::span<const std::byte> bytes) {
  exact_copy copy{bytes};
  deserializer_session reader;
  input_cursor in{copy.get()};
  size_t messages = 0;
  for (;;) {
    auto start = in.offset();
    caf::message msg;
    ec code;
    size_t largest = 0;
    {
      hostile::allocation_watch watch;
      code = reader.read_message(in, msg);
      largest = watch.largest();
    }
    // What the limits promise, and room for one copy of an element table.
    if (largest > 16 * bytes.size() + 65536)
      throw std::runtime_error{"allocates " + std::to_string(largest) + " bytes"};
    auto status = reader.status();
    if ((code == ec::none) != (status == read_status::ok))
      throw std::runtime_error{"result and status differ"};
    if (code == ec::none) {
      ++messages;
      // Touches all of the message.
      caf::deep_to_string(msg);
    } else if (to_string(code) == "invalid" || reader.last_error().empty()
               || caf::to_string(reader.last_error()).empty()) {
      throw std::runtime_error{"an error without a name"};
    }
    if (status == read_status::need_more || status == read_status::broken)
      return messages;
    if (status == read_status::other_types)
      throw std::runtime_error{"nobody asked for a type"};
    if (in.offset() <= start || in.offset() > bytes.size())
      throw std::runtime_error{"the position makes no sense"};
  }
}

} // namespace

TEST_CASE("the recorded stream is read as it is") {
  CHECK(recorded_stream().size() >= 250);
  CHECK(recorded_stream().size() <= 500);
  CHECK(read_all(recorded_stream()) == 8);
}

TEST_CASE("a stream with one changed byte is survived") {
  auto bytes = recorded_stream();
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto original = bytes[i];
    for (auto x = 1u; x < 256; ++x) {
      bytes[i] = original ^ static_cast<std::byte>(x);
      INFO("byte " << i << " is " << static_cast<unsigned>(bytes[i]));
      REQUIRE_NOTHROW(read_all(bytes));
    }
    bytes[i] = original;
  }
}

TEST_CASE("a stream with two changed bits is survived") {
  auto bytes = recorded_stream();
  constexpr size_t num_bits = 64 * 8;
  auto flip = [&bytes](size_t bit) { bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8); };
  for (size_t i = 0; i < num_bits; ++i) {
    flip(i);
    for (size_t j = i + 1; j < num_bits; ++j) {
      flip(j);
      INFO("bits " << i << " and " << j);
      REQUIRE_NOTHROW(read_all(bytes));
      flip(j);
    }
    flip(i);
  }
}

TEST_CASE("a stream that ends at any byte is survived") {
  std::span<const std::byte> bytes = recorded_stream();
  size_t last = 0;
  for (size_t n = 0; n <= bytes.size(); ++n) {
    auto messages = read_all(bytes.first(n));
    // More bytes never mean fewer messages.
    CHECK(messages >= last);
    CHECK(messages <= last + 1);
    last = messages;
  }
  CHECK(last == 8);
}

TEST_CASE("a stream without any of its bytes is survived") {
  auto& bytes = recorded_stream();
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto without = bytes;
    without.erase(without.begin() + static_cast<ptrdiff_t>(i));
    REQUIRE_NOTHROW(read_all(without));
    auto twice = bytes;
    twice.insert(twice.begin() + static_cast<ptrdiff_t>(i), bytes[i]);
    REQUIRE_NOTHROW(read_all(twice));
  }
}

TEST_CASE("noise behind good definitions is survived") {
  // The slots of the recorded stream are valid, so that noise reaches the decoders.
  std::minstd_rand random{7};
  auto& good = recorded_stream();
  for (auto round = 0; round < 3000; ++round) {
    auto bytes = good;
    auto length = random() % 200;
    bytes.push_back(static_cast<std::byte>(1 + random() % 3));
    bytes.push_back(static_cast<std::byte>(length % 128));
    for (size_t i = 0; i < length; ++i)
      bytes.push_back(static_cast<std::byte>(random() >> 7));
    INFO("round " << round);
    REQUIRE_NOTHROW(read_all(bytes));
  }
}
