// This file is part of cafwire. See the file LICENSE for license terms.

// The links of links.json and links_invalid.json in tests/vectors.

#include "cafwire/codec.hpp"
#include "cafwire/inspect/handle_codec.hpp"
#include "cafwire/link/authenticator.hpp"
#include "cafwire/link/handshake.hpp"
#include "cafwire/link/record.hpp"
#include "cafwire/session/deserializer_session.hpp"
#include "cafwire/session/frame.hpp"

#include "net/catch.hpp"
#include "support/vector_file.hpp"

#include <caf/message.hpp>
#include <caf/node_id.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace cafwire;
using namespace cafwire::detail;
using namespace session_test;

namespace {

/// Reads handles and forgets them.
class handle_sink : public handle_codec {
public:
  ec save(serializer&, const caf::strong_actor_ptr&) override {
    return ec::unreachable_actor;
  }

  ec load(deserializer& f, handle_tag tag, caf::strong_actor_ptr&) override {
    uint64_t number = 0;
    caf::node_id node;
    uint64_t id = 0;
    if (tag == handle_tag::global)
      return ec::unreachable_actor;
    if (!f.varint(number))
      return f.code();
    if (tag == handle_tag::relayed_by_writer && (!f.apply(node) || !f.apply(id)))
      return f.code();
    return ec::none;
  }
};

std::string_view name_of(link_op op) {
  constexpr std::string_view names[] = {"",     "message", "monitor", "down",
                                        "link", "unlink",  "release"};
  return names[static_cast<size_t>(op)];
}

/// Reads one direction of a link piece by piece, as a link does.
class direction_reader {
public:
  /// Reads a frame.
  ec read(std::span<const std::byte> input, size_t& consumed) {
    return frames_ ? read_frame(input, consumed) : read_first(input, consumed);
  }

  /// The records of the last frame.
  const std::vector<record_head>& heads() const noexcept {
    return heads_;
  }

  const handshake& hello() const noexcept {
    return hello_;
  }

private:
  ec read_first(std::span<const std::byte> input, size_t& consumed) {
    if (auto code = read_handshake(input, {}, hello_, consumed); code != ec::none)
      return code;
    frames_.emplace(hello_.epoch, 1);
    auto options = session_options{};
    options.handles = &handles_;
    session_.emplace(known_types::global(), options);
    return ec::none;
  }

  ec read_frame(std::span<const std::byte> input, size_t& consumed) {
    frame_header header;
    if (auto code = read_frame_header(input, {}, header); code != ec::none)
      return code;
    if (header.kind != frame_kind::records)
      return ec::invalid_frame;
    if (auto code = frames_->accept(header); code != ec::none)
      return code;
    consumed = frame_size(header.body_size);
    REQUIRE(input.size() >= consumed);
    auto frame = input.first(consumed);
    if (auto code = check_frame_padding(frame, header.body_size); code != ec::none)
      return code;
    input_cursor in{frame.subspan(frame_header_size, header.body_size)};
    heads_.clear();
    while (!in.at_end())
      if (auto code = read_record(in); code != ec::none)
        return code;
    return ec::none;
  }

  ec read_record(input_cursor& in) {
    auto start = in.position();
    auto& head = heads_.emplace_back();
    if (auto code = read_record_head(in, head); code != ec::none)
      return code;
    // What was read is what is written.
    output_buffer again;
    REQUIRE(write_record_head(again, head));
    CHECK(to_hex(again.bytes()) == to_hex({start, in.position()}));
    if ((head.source & relayed_bit) != 0 && !head.returned_source)
      if (auto code = read_identity(in); code != ec::none)
        return code;
    if (head.op == link_op::message) {
      caf::message content;
      return session_->read_message(in, content);
    }
    if (head.op == link_op::down) {
      std::string_view reason;
      return in.read_string(reason);
    }
    uint64_t seen = 0;
    return head.op == link_op::release ? in.read_varint(seen) : ec::none;
  }

  static ec read_identity(input_cursor& in) {
    std::string_view identity;
    caf::node_id node;
    uint64_t id = 0;
    if (auto code = in.read_string(identity); code != ec::none)
      return code;
    return deserialize(std::as_bytes(std::span{identity}), {}, node, id);
  }

  handle_sink handles_;
  handshake hello_;
  std::optional<frame_counter> frames_;
  std::optional<deserializer_session> session_;
  std::vector<record_head> heads_;
};

/// Reads frames, and writes again what they hold.
void check_frames(std::span<const vector_frame> frames) {
  direction_reader reader;
  for (auto& frame : frames) {
    INFO(frame.note);
    exact_copy input{frame.bytes};
    size_t consumed = 0;
    REQUIRE(reader.read(input.get(), consumed) == ec::none);
    CHECK(consumed == frame.bytes.size());
    if (frame.records.front().op == "handshake") {
      output_buffer again;
      REQUIRE(write_handshake(again, reader.hello()) == ec::none);
      CHECK(to_hex(again.bytes()) == to_hex(frame.bytes));
      continue;
    }
    REQUIRE(reader.heads().size() == frame.records.size());
    for (size_t i = 0; i < frame.records.size(); ++i) {
      auto& head = reader.heads()[i];
      auto& expected = frame.records[i];
      CHECK(name_of(head.op) == expected.op);
      auto key = [](uint64_t number, bool relayed) { return number | (relayed ? relayed_bit : 0); };
      CHECK(head.target == key(expected.target, expected.relayed_target));
      CHECK(head.source == key(expected.source, expected.relayed_source));
      CHECK(head.returned_source == expected.returned);
      CHECK(head.id == (expected.has_id ? caf::message_id{expected.id} : caf::message_id{}));
    }
  }
}

} // namespace

TEST_CASE("the vectors of links") {
  for (auto& link : read_links("links.json")) {
    for (auto& frames : link.directions) {
      // Proofs of a key come first.
      auto rest = std::span{frames}.subspan(link.key.empty() ? 0 : 2);
      CHECK(rest.front().records.front().op == "handshake");
      check_frames(rest);
    }
  }
}

TEST_CASE("the vectors of proofs") {
  using role = authenticator::role;
  for (auto& link : read_links("links.json")) {
    if (link.key.empty())
      continue;
    INFO(link.name);
    auto key = shared_key{std::span<const std::byte>{link.key}};
    std::vector<authenticator::challenge> challenges;
    for (auto& frames : link.directions) {
      auto& bytes = frames.at(0).bytes;
      REQUIRE(bytes.size() == frame_size(authenticator::challenge_size));
      auto& body = challenges.emplace_back();
      std::copy_n(bytes.begin() + frame_header_size, body.size(), body.begin());
    }
    for (auto who : {role::connecting, role::accepting}) {
      authenticator::mac proof;
      REQUIRE(authenticator::prove(key, who, challenges.at(0), challenges.at(1), proof));
      auto& bytes = link.directions.at(who == role::connecting ? 0 : 1).at(1).bytes;
      REQUIRE(bytes.size() == frame_size(authenticator::proof_size));
      CHECK(to_hex(std::span{bytes}.subspan(frame_header_size + 1, proof.size())) == to_hex(proof));
    }
  }
}

TEST_CASE("the vectors of invalid links") {
  for (auto& x : read_cases("links_invalid.json")) {
    INFO(x.name << ": " << x.note);
    exact_copy input{x.bytes};
    direction_reader reader;
    auto rest = input.get();
    auto code = ec::none;
    while (code == ec::none && !rest.empty()) {
      size_t consumed = 0;
      code = reader.read(rest, consumed);
      rest = rest.subspan(consumed);
    }
    CHECK(to_string(code) == x.error);
  }
}
