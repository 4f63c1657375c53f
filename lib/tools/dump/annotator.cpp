// This file is part of cafwire. See the file LICENSE for license terms.

#include "dump/annotator.hpp"

#include "dump/value_json.hpp"

#include <functional>
#include <iomanip>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace cafwire::dump {

namespace {

using bytes = std::span<const std::byte>;

/// Bytes in a row. More of them are left out.
constexpr size_t row_size = 16;

/// Texts longer than that are cut.
constexpr size_t max_text = 100;

std::string shorten(std::string text) {
  if (text.size() > max_text)
    text = text.substr(0, max_text) + "...";
  return text;
}

std::string dump_text(const json& x) {
  return shorten(x.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Tells what each byte of a value means.
class value_annotator : public layout::value_visitor {
public:
  using row_printer = std::function<void(const std::byte*, bytes, const std::string&)>;

  value_annotator(layout::value_walker& walker, const std::byte* start, row_printer print)
    : walker_(walker), last_(start), print_(std::move(print)) {
    // nop
  }

  void scalar(const layout::schema_node& type, bytes) override {
    auto value = scalar_json(type, since_last());
    show(layout::short_name(type) + " = " + dump_text(value));
  }

  void run(const layout::schema_node& type, uint64_t, bytes content) override {
    show(dump_text(run_json(type, content)));
  }

  void bits(const layout::schema_node& type, uint64_t n, bytes content) override {
    show(layout::short_name(type) + " = " + shorten(bits_text(n, content)));
  }

  void begin(const layout::schema_node& type, uint64_t n) override {
    using layout::schema_kind;
    auto text = layout::short_name(type);
    if (type.kind == schema_kind::variant)
      text += ", alternative " + std::to_string(n);
    else if (type.kind == schema_kind::optional)
      text += n == 0 ? ": nothing" : ": a value follows";
    else if (type.kind >= schema_kind::sequence && type.kind <= schema_kind::unordered_map)
      text += ", length " + std::to_string(n);
    else if (type.kind == schema_kind::message)
      text += ", elements: " + std::to_string(n);
    else if (type.kind == schema_kind::error && n == 0)
      text += ": none, or an empty context";
    show(text);
    path_.emplace_back();
  }

  void end(const layout::schema_node&) override {
    path_.pop_back();
  }

  void part(const layout::schema_node&, const layout::schema_field& part, bool present) override {
    path_.back() = part.name;
    if (part.may_be_absent)
      show(present ? "is present" : "is absent, or equals its fallback");
  }

  void object(const layout::schema_node&, uint64_t number, const std::byte*) override {
    show("object " + std::to_string(number));
  }

  void reference(const layout::schema_node&, uint64_t number) override {
    show("object " + std::to_string(number) + " again");
  }

  void null(const layout::schema_node&) override {
    show("no object");
  }

  void handle(const layout::handle_parts& x) override {
    if (x.tag == handle_tag::null)
      return show("no actor");
    auto text = "handle with tag " + std::to_string(static_cast<unsigned>(x.tag));
    if (x.tag >= handle_tag::relayed_by_writer)
      text += ", number " + std::to_string(x.number);
    if (x.tag != handle_tag::relayed_by_reader)
      text += ", actor " + std::to_string(x.node.empty() ? x.number : x.id);
    show(text);
  }

  void element(std::string_view type_name, uint8_t code) override {
    auto name = element_name(type_name);
    if (code != 0)
      show("error code " + std::to_string(code) + " of " + name);
    else
      path_.back() = name;
  }

private:
  bytes since_last() const {
    return {last_, walker_.cursor().position()};
  }

  void show(const std::string& text) {
    auto content = since_last();
    if (content.empty())
      return;
    std::string where;
    for (auto& name : path_)
      if (!name.empty())
        where += (where.empty() ? "" : ".") + name;
    print_(last_, content, where.empty() ? text : where + ": " + text);
    last_ = walker_.cursor().position();
  }

  layout::value_walker& walker_;
  const std::byte* last_;
  row_printer print_;
  std::vector<std::string> path_;
};

} // namespace

void annotator::row(uint64_t offset, bytes content, std::string_view text) {
  auto shown = content.first(std::min(content.size(), row_size));
  std::string hex;
  for (auto x : shown)
    hex += hex_text({&x, 1}) + ' ';
  if (shown.size() < content.size())
    hex += "... " + std::to_string(content.size()) + " bytes ";
  out_ << std::setw(8) << std::setfill('0') << std::hex << offset << std::dec << std::setfill(' ')
       << "  " << std::left << std::setw(3 * row_size) << hex << std::right << "  " << text << '\n';
}

void annotator::on_chunk(const recording_chunk& chunk) {
  constexpr std::string_view kinds[] = {"", "stream", "types", "data", "end"};
  auto text = "chunk: " + std::string{kinds[static_cast<size_t>(chunk.kind)]} + ", stream "
              + std::to_string(chunk.stream) + ", "
              + (chunk.direction == stream_direction::sent ? "sent" : "received") + ", "
              + std::to_string(chunk.body.size()) + " bytes";
  row(chunk.offset, chunk.body.first(0), text);
}

void annotator::on_stream(const place& where, const recorded_stream& stream, bytes content) {
  row(where.offset, content,
      std::string{stream.content == stream_content::link ? "frames of a link" : "a session"}
        + (stream.uses_known_types ? " with known types" : "") + ": " + shorten(stream.label));
}

void annotator::on_types(const place& where, const std::vector<stream_type_ptr>& types,
                         bytes content) {
  for (size_t i = 0, at = 0; i < types.size(); at += types[i++]->definition_size)
    row(where.offset + at, content.subspan(at, types[i]->definition_size),
        "type " + types[i]->name + ": " + shorten(types[i]->schema));
}

void annotator::on_frame(const place& where, const frame_header& header, bytes content) {
  row(where.offset, content.first(frame_header_size),
      "frame " + std::to_string(header.sequence)
        + (header.kind == frame_kind::handshake ? ", handshake, " : ", records, ")
        + std::to_string(header.body_size) + " bytes");
}

void annotator::on_handshake(const place& where, uint16_t min_version, uint16_t max_version,
                             bytes content) {
  constexpr size_t preamble = 12;
  row(where.offset - preamble, {content.data() - preamble, preamble},
      "versions " + std::to_string(min_version) + " to " + std::to_string(max_version));
  static const auto schema = make_stream_type("handshake", 0, handshake_schema, 0);
  layout::value_walker walker{input_cursor{content}, limits::untrusted(), nullptr};
  value_annotator notes{walker, content.data(), [&](auto* at, bytes part, auto& text) {
                          row(where.offset + static_cast<uint64_t>(at - content.data()), part,
                              text);
                        }};
  std::ignore = walker.visit(schema->tree.root(), notes);
}

void annotator::on_head(const place& where, const link_head& head, bytes content) {
  constexpr std::string_view third = " of a third node";
  auto text = std::string{head.op} + ", target " + std::to_string(head.target);
  if (head.relayed_target)
    text += third;
  if (head.source)
    text += ", source " + std::to_string(*head.source);
  if (head.relayed_source)
    text += third;
  if (head.returned_source)
    text += " of the reader";
  if (head.id)
    text += ", id " + hex_number(*head.id);
  if (head.seen)
    text += ", records seen: " + std::to_string(*head.seen);
  if (head.identity.empty())
    return row(where.offset, content, text);
  auto offset_of = [&](const std::byte* at) {
    return where.offset + static_cast<uint64_t>(at - content.data());
  };
  auto* start = head.identity.data();
  row(where.offset, {content.data(), start}, text);
  static const auto schema = make_stream_type("identity", 0, identity_schema, 0);
  layout::value_walker walker{input_cursor{head.identity}, limits::untrusted(), nullptr};
  value_annotator notes{walker, start, [&](auto* at, bytes part, auto& meaning) {
                          row(offset_of(at), part, "source: " + meaning);
                        }};
  std::ignore = walker.visit(schema->tree.root(), notes);
  auto* end = start + head.identity.size();
  if (auto* last = content.data() + content.size(); end != last)
    row(offset_of(end), {end, last}, "records seen");
}

void annotator::on_reason(const place& where, const link_head&, bytes reason,
                          type_directory& types) {
  static const auto schema = make_stream_type("reason", 0, "caf::error", 0);
  layout::value_walker walker{input_cursor{reason}, limits::untrusted(), &types};
  value_annotator notes{walker, reason.data(), [&](auto* at, bytes part, auto& text) {
                          row(where.offset + static_cast<uint64_t>(at - reason.data()), part, text);
                        }};
  if (!walker.visit(schema->tree.root(), notes))
    row(where.offset, reason, "a reason that cannot be read: " + to_string(walker.code()));
}

void annotator::on_type(const place& where, uint64_t slot, const stream_type& type, bytes content) {
  row(where.offset, content,
      "type " + std::to_string(slot) + ": " + type.name + ": " + shorten(type.schema));
}

void annotator::on_signature(const place& where, const stream_signature& signature, bytes content) {
  std::string types;
  for (auto& type : signature.types)
    types += (types.empty() ? "" : ", ") + type->name;
  row(where.offset, content, "signature " + std::to_string(signature.slot) + ": [" + types + ']');
}

void annotator::on_reset(const place& where, bytes content) {
  row(where.offset, content, "reset");
}

void annotator::on_message(const place& where, const found_message& msg) {
  auto head_size = static_cast<size_t>(msg.payload.data() - msg.record.data());
  row(where.offset, msg.record.first(head_size),
      "message with signature " + std::to_string(msg.signature->slot) + ", "
        + std::to_string(msg.payload.size()) + " bytes");
  layout::value_walker walker{input_cursor{msg.payload}, limits::untrusted(), msg.types};
  auto offset_of = [&](const std::byte* at) {
    return where.offset + static_cast<uint64_t>(at - msg.record.data());
  };
  value_annotator notes{walker, msg.payload.data(),
                        [&](auto* at, bytes part, auto& text) { row(offset_of(at), part, text); }};
  std::string problem;
  for (auto& type : msg.signature->types) {
    if (type->tree.empty())
      problem = type->name + ": " + type->problem;
    else if (!walker.visit(type->tree.root(), notes))
      problem = to_string(walker.code()) + ' ' + walker.detail();
    if (!problem.empty())
      break;
  }
  auto* end = msg.payload.data() + msg.payload.size();
  if (problem.empty() && !walker.cursor().at_end())
    problem = to_string(ec::trailing_bytes);
  if (!problem.empty())
    row(offset_of(walker.cursor().position()), {walker.cursor().position(), end}, problem);
}

} // namespace cafwire::dump
