// This file is part of cafwire. See the file LICENSE for license terms.

// Streams that arrive in pieces: a reader asks for more, remembers what was complete, and goes on.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/deep_to_string.hpp>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

/// A stream with all kinds of records, and the ends of its messages.
struct recording {
  output_buffer out;
  std::vector<caf::message> messages;
  std::vector<size_t> ends;

  recording() {
    serializer_session writer;
    auto add = [&](caf::message msg) {
      REQUIRE(writer.write_message(out, msg) == ec::none);
      messages.push_back(std::move(msg));
      ends.push_back(out.size());
    };
    add(caf::make_message(point{1, 2, 3}));
    add(caf::make_message(point{4, 5, 6}));
    add(caf::message{});
    add(caf::make_message(reading{"sensor", {1, 2, 3}}, int32_t{7}));
    add(caf::make_message(samples{std::vector<double>(40, 1.5)}));
    writer.reset();
    add(caf::make_message(samples{std::vector<double>(33, 2.5)}, std::string{"end"}));
    add(caf::make_message(point{7, 8, 9}));
  }

  size_t size() const {
    return out.size();
  }

  std::span<const std::byte> first(size_t n) const {
    return out.bytes().first(n);
  }
};

bool same(const caf::message& x, const caf::message& y) {
  return x.types() == y.types() && caf::deep_to_string(x) == caf::deep_to_string(y);
}

/// Reads all messages that are complete, starting at `start` of a stream whose first bytes have
/// arrived. Returns where to go on.
size_t read_all(deserializer_session& session, std::span<const std::byte> arrived, size_t start,
                std::vector<caf::message>& result) {
  exact_copy copy{arrived};
  input_cursor in{copy.get()};
  in.advance(start);
  for (;;) {
    auto before = in.offset();
    auto old = caf::make_message(int32_t{42});
    auto msg = old;
    auto code = session.read_message(in, msg);
    if (code != ec::none) {
      CHECK(code == ec::unexpected_end);
      CHECK(session.status() == read_status::need_more);
      CHECK(session.last_error() == ec::unexpected_end);
      CHECK(msg.cptr() == old.cptr());
      // Asking again changes nothing.
      auto stop = in.offset();
      auto definitions = session.definitions();
      CHECK(session.read_message(in, msg) == ec::unexpected_end);
      CHECK(in.offset() == stop);
      CHECK(session.definitions() == definitions);
      return stop;
    }
    CHECK(session.status() == read_status::ok);
    CHECK(in.offset() > before);
    result.push_back(std::move(msg));
  }
}

} // namespace

TEST_CASE("a stream that is cut at any byte goes on when the rest arrives") {
  recording stream;
  REQUIRE(stream.size() > 500);
  for (size_t cut = 0; cut < stream.size(); ++cut) {
    INFO("cut at " << cut);
    deserializer_session session;
    std::vector<caf::message> messages;
    auto position = read_all(session, stream.first(cut), 0, messages);
    CHECK(position <= cut);
    // All messages that were complete have been read, and no other one.
    auto complete = std::count_if(stream.ends.begin(), stream.ends.end(),
                                  [cut](size_t end) { return end <= cut; });
    REQUIRE(messages.size() == static_cast<size_t>(complete));
    position = read_all(session, stream.first(stream.size()), position, messages);
    CHECK(position == stream.size());
    REQUIRE(messages.size() == stream.messages.size());
    for (size_t i = 0; i < messages.size(); ++i)
      REQUIRE(same(messages[i], stream.messages[i]));
  }
}

TEST_CASE("a stream that arrives byte by byte is understood") {
  recording stream;
  deserializer_session session;
  std::vector<caf::message> messages;
  size_t position = 0;
  for (size_t arrived = 0; arrived <= stream.size(); ++arrived)
    position = read_all(session, stream.first(arrived), position, messages);
  CHECK(position == stream.size());
  REQUIRE(messages.size() == stream.messages.size());
  for (size_t i = 0; i < messages.size(); ++i)
    CHECK(same(messages[i], stream.messages[i]));
}

TEST_CASE("values are not touched as long as a message is incomplete") {
  serializer_session writer;
  output_buffer out;
  REQUIRE(writer.write(out, point{1, 2, 3}) == ec::none);
  deserializer_session reader;
  point x{7, 8, 9};
  size_t position = 0;
  for (size_t arrived = 0; arrived < out.size(); ++arrived) {
    exact_copy copy{out.bytes().first(arrived)};
    input_cursor in{copy.get()};
    in.advance(position);
    REQUIRE(reader.read(in, x) == ec::unexpected_end);
    REQUIRE(reader.status() == read_status::need_more);
    position = in.offset();
  }
  CHECK(x == point{7, 8, 9});
  input_cursor in{out.bytes()};
  in.advance(position);
  CHECK(reader.read(in, x) == ec::none);
  CHECK(x == point{1, 2, 3});
}

TEST_CASE("a session that starts anew knows nothing of the one before") {
  // A connection that is dropped in the middle and opened again: both ends start with new sessions.
  recording stream;
  deserializer_session reader;
  std::vector<caf::message> messages;
  read_all(reader, stream.first(stream.ends[3] + 5), 0, messages);
  CHECK(messages.size() == 4);
  serializer_session new_writer;
  deserializer_session new_reader;
  output_buffer out;
  REQUIRE(new_writer.write(out, reading{"r", {}}) == ec::none);
  REQUIRE(new_writer.write(out, point{1, 1, 1}) == ec::none);
  input_cursor in{out.bytes()};
  reading x;
  point y;
  CHECK(new_reader.read(in, x) == ec::none);
  CHECK(new_reader.read(in, y) == ec::none);
  CHECK(x == reading{"r", {}});
  CHECK(y == point{1, 1, 1});
}
