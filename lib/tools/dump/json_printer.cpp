// This file is part of cafwire. See the file LICENSE for license terms.

#include "dump/json_printer.hpp"

#include <cstdio>
#include <ctime>
#include <ostream>
#include <utility>

namespace cafwire::dump {

namespace {

/// Returns a time in the form of ISO 8601, in UTC.
std::string time_text(int64_t time) {
  constexpr int64_t billion = 1'000'000'000;
  auto seconds = static_cast<std::time_t>(time / billion - (time % billion < 0 ? 1 : 0));
  auto nanoseconds = (time % billion + billion) % billion;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char date[64];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  char result[96];
  std::snprintf(result, sizeof result, "%s.%09lldZ", date, static_cast<long long>(nanoseconds));
  return result;
}

json type_json(const stream_type& type) {
  return {{"name", type.name},
          {"fingerprint", hex_number(type.fingerprint)},
          {"schema", type.schema}};
}

/// Adds what the head of a record of a link tells.
void add_head(json& line, const link_head& head) {
  line["target"] = head.target;
  if (head.relayed_target)
    line["relayed_target"] = true;
  if (head.source)
    line["source"] = *head.source;
  if (head.relayed_source)
    line["relayed_source"] = true;
  if (head.returned_source)
    line["returned"] = true;
  if (head.id)
    line["id"] = *head.id;
  if (!head.identity.empty()) {
    static const auto schema = make_stream_type("identity", 0, identity_schema, 0);
    layout::value_walker walker{input_cursor{head.identity}, limits::untrusted(), nullptr};
    json_builder builder;
    std::ignore = walker.visit(schema->tree.root(), builder);
    auto identity = builder.take();
    line["source_node"] = identity["node"];
    line["source_id"] = identity["id"];
  }
  if (head.seen)
    line["seen"] = *head.seen;
}

std::string error_text(const layout::value_walker& walker) {
  auto result = to_string(walker.code());
  return walker.detail().empty() ? result : result + ": " + walker.detail();
}

/// Visits the elements of a message one by one.
/// @returns what is wrong, or nothing.
template <class OnElement>
std::string visit_all(const found_message& msg, object_checker& visitor, OnElement on_element) {
  layout::value_walker walker{input_cursor{msg.payload}, limits::untrusted(), msg.types};
  for (auto& type : msg.signature->types) {
    if (type->tree.empty())
      return to_string(ec::unknown_type) + ": " + type->name + ": " + type->problem;
    if (!walker.visit(type->tree.root(), visitor))
      return error_text(walker);
    if (visitor.problem() != ec::none)
      return to_string(visitor.problem());
    on_element();
  }
  return walker.cursor().at_end() ? std::string{} : to_string(ec::trailing_bytes);
}

} // namespace

decoded_message decode(const found_message& msg) {
  json_builder builder;
  auto values = json::array();
  auto error = visit_all(msg, builder, [&] { values.push_back(builder.take()); });
  if (!error.empty())
    return {nullptr, std::move(error)};
  return {std::move(values), {}};
}

std::string check(const found_message& msg) {
  object_checker checker;
  return visit_all(msg, checker, [] {});
}

json json_printer::line(const char* kind, const place& where) {
  return {{"kind", kind},
          {"stream", where.stream},
          {"direction", where.direction == stream_direction::sent ? "sent" : "received"},
          {"time", time_text(where.time)},
          {"offset", where.offset}};
}

void json_printer::print(const json& x) {
  // Names come from the file and need not be text.
  out_ << x.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
}

void json_printer::on_stream(const place& where, const recorded_stream& stream, bytes) {
  if (messages_only_)
    return;
  auto x = line("stream", where);
  x["content"] = stream.content == stream_content::link ? "link" : "session";
  x["uses_known_types"] = stream.uses_known_types;
  x["label"] = stream.label;
  print(x);
}

void json_printer::on_types(const place& where, const std::vector<stream_type_ptr>& types, bytes) {
  if (messages_only_)
    return;
  auto x = line("types", where);
  auto& list = x["types"] = json::array();
  for (auto& type : types)
    list.push_back(type_json(*type));
  print(x);
}

void json_printer::on_handshake(const place& where, uint16_t min_version, uint16_t max_version,
                                bytes content) {
  if (messages_only_)
    return;
  static const auto schema = make_stream_type("handshake", 0, handshake_schema, 0);
  layout::value_walker walker{input_cursor{content}, limits::untrusted(), nullptr};
  json_builder builder;
  std::ignore = walker.visit(schema->tree.root(), builder);
  auto x = line("handshake", where);
  x["min_version"] = min_version;
  x["max_version"] = max_version;
  x.update(builder.take());
  print(x);
}

void json_printer::on_head(const place& where, const link_head& head, bytes) {
  // Heads of the others are printed with what follows.
  if (messages_only_ || head.op == "message" || head.op == "down")
    return;
  auto x = line(head.op.data(), where);
  add_head(x, head);
  print(x);
}

void json_printer::on_reason(const place& where, const link_head& head, bytes reason,
                             type_directory& types) {
  if (messages_only_)
    return;
  static const auto schema = make_stream_type("reason", 0, "caf::error", 0);
  auto x = line("down", where);
  add_head(x, head);
  layout::value_walker walker{input_cursor{reason}, limits::untrusted(), &types};
  json_builder builder;
  if (walker.visit(schema->tree.root(), builder))
    x["reason"] = builder.take();
  else
    x["error"] = error_text(walker);
  print(x);
}

void json_printer::on_type(const place& where, uint64_t slot, const stream_type& type, bytes) {
  if (messages_only_)
    return;
  auto x = line("type", where);
  x["slot"] = slot;
  x.update(type_json(type));
  print(x);
}

void json_printer::on_signature(const place& where, const stream_signature& signature, bytes) {
  if (messages_only_)
    return;
  auto x = line("signature", where);
  x["slot"] = signature.slot;
  x["types"] = signature.slots;
  print(x);
}

void json_printer::on_reset(const place& where, bytes) {
  if (!messages_only_)
    print(line("reset", where));
}

void json_printer::on_message(const place& where, const found_message& msg) {
  auto x = line("message", where);
  if (msg.head != nullptr)
    add_head(x, *msg.head);
  auto& types = x["types"] = json::array();
  for (auto& type : msg.signature->types)
    types.push_back(type->name);
  auto content = decode(msg);
  if (content.error.empty()) {
    x["values"] = std::move(content.values);
  } else {
    ++errors_;
    x["error"] = content.error;
    x["payload"] = hex_text(msg.payload);
  }
  print(x);
}

} // namespace cafwire::dump
