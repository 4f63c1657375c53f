// This file is part of cafwire. See the file LICENSE for license terms.

// The streams of session_streams.json and session_invalid.json in tests/vectors.

#include <cafwire/message/raw_message.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_types.hpp"
#include "support/vector_file.hpp"

#include <caf/deep_to_string.hpp>

#include <memory>
#include <type_traits>
#include <vector>

using namespace cafwire;
using namespace session_test;

namespace {

std::vector<vector_record> read_stream(std::string_view name) {
  for (auto& x : read_streams("session_streams.json"))
    if (x.name == name)
      return x.records;
  return {};
}

/// Writes messages and compares with the records of a stream, then reads them.
class stream_check {
public:
  explicit stream_check(std::string_view name, known_types_ptr types = known_types::global(),
                        session_options options = {})
    : records_(read_stream(name)), writer_(types, options), reader_(types, options) {
    REQUIRE_FALSE(records_.empty());
  }

  void reset() {
    writer_.reset();
  }

  /// Writes a message and compares all records up to the next one that is a message.
  template <class... Ts>
  void message(const Ts&... xs) {
    auto start = out_.size();
    if constexpr ((std::is_same_v<Ts, raw_message> || ...))
      REQUIRE(writer_.write_raw(out_, xs...) == ec::none);
    else
      REQUIRE(writer_.write(out_, xs...) == ec::none);
    messages_.push_back(caf::make_message(xs...));
    byte_vector expected;
    for (auto is_message = false; !is_message && next_ < records_.size(); ++next_) {
      auto& x = records_[next_];
      INFO(x.note);
      is_message = x.kind == "message";
      expected.insert(expected.end(), x.bytes.begin(), x.bytes.end());
    }
    CHECK(to_hex(out_.bytes().subspan(start)) == to_hex(expected));
    stream_.insert(stream_.end(), expected.begin(), expected.end());
  }

  void finish() {
    CHECK(next_ == records_.size());
    exact_copy copy{stream_};
    input_cursor in{copy.get()};
    for (auto& expected : messages_) {
      caf::message msg;
      REQUIRE(reader_.read_message(in, msg) == ec::none);
      CHECK(msg.types() == expected.types());
      CHECK(caf::deep_to_string(msg) == caf::deep_to_string(expected));
    }
    CHECK(in.at_end());
  }

private:
  std::vector<vector_record> records_;
  size_t next_ = 0;
  serializer_session writer_;
  deserializer_session reader_;
  output_buffer out_;
  byte_vector stream_;
  std::vector<caf::message> messages_;
};

} // namespace

TEST_CASE("the vector of a stream that defines its types") {
  stream_check x{"learned"};
  x.message(point{1, 2, -1});
  x.message(point{1, 2, -1});
  x.message(point{1, 2, -1}, int32_t{5});
  x.message(point{1, 2, -1});
  x.finish();
}

TEST_CASE("the vector of a stream with types of the format") {
  stream_check x{"core_types"};
  x.message(int32_t{-2}, std::string{"ab"});
  x.message();
  x.message(int32_t{-2}, std::string{"ab"});
  x.finish();
}

TEST_CASE("the vector of a stream between equal registries") {
  auto types = known_types::only({caf::type_id_v<samples>, caf::type_id_v<point>});
  session_options options;
  options.peer_registry_hash = types->hash();
  stream_check x{"known_types", types, options};
  x.message(point{1, 2, -1});
  x.message(samples{{1.5}});
  x.finish();
}

TEST_CASE("the vector of a stream between equal registries that lack a type") {
  auto types = known_types::only({caf::type_id_v<point>});
  session_options options;
  options.peer_registry_hash = types->hash();
  options.keep_unknown_messages = true;
  auto& schema = layout::schema_of<samples>();
  auto type = raw_type{0, "session_test::samples", schema.fingerprint, schema.text};
  raw_message raw;
  raw.types = std::make_shared<const std::vector<raw_type>>(1, type);
  for (auto x : from_hex("01 00*6 f8 3f"))
    raw.payload.push_back(static_cast<uint8_t>(x));
  stream_check x{"known_types_and_more", types, options};
  x.message(point{1, 2, -1});
  x.message(raw);
  x.message(raw);
  x.message(point{1, 2, -1});
  x.reset();
  x.message(raw);
  x.message(point{1, 2, -1});
  x.finish();
}

TEST_CASE("the vector of a stream with a reset") {
  stream_check x{"reset"};
  x.message(point{1, 2, -1});
  x.reset();
  x.message(true);
  x.message(point{1, 2, -1});
  x.finish();
}

TEST_CASE("the vector of a stream with long runs") {
  stream_check x{"long_runs"};
  x.message(samples{std::vector<double>(31)});
  x.message(samples{std::vector<double>(32)});
  x.message(samples{});
  x.message(samples{std::vector<double>(33)});
  x.finish();
}

TEST_CASE("the vectors of invalid streams") {
  for (auto& x : read_cases("session_invalid.json")) {
    INFO("session_invalid.json: " << x.name << ": " << x.note);
    exact_copy copy{x.bytes};
    deserializer_session reader;
    input_cursor in{copy.get()};
    caf::message msg;
    CHECK(to_string(reader.read_message(in, msg)) == x.error);
    CHECK(reader.status() == read_status::broken);
    // It stays broken.
    CHECK(to_string(reader.read_message(in, msg)) == x.error);
    CHECK(reader.status() == read_status::broken);
  }
}
