// This file is part of cafwire. See the file LICENSE for license terms.

#include "dump/statistics.hpp"

#include "dump/json_printer.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

namespace cafwire::dump {

namespace {

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

void statistics::on_chunk(const recording_chunk& chunk) {
  if (chunk.kind == chunk_kind::data)
    stream_bytes_ += chunk.body.size();
}

void statistics::on_frame(const place&, const frame_header& header, bytes content) {
  ++frames_;
  link_bytes_ += content.size() - header.body_size;
}

void statistics::on_handshake(const place&, uint16_t, uint16_t, bytes content) {
  constexpr size_t preamble = 12;
  link_bytes_ += preamble + content.size();
}

void statistics::on_head(const place&, const link_head&, bytes content) {
  link_bytes_ += content.size();
}

void statistics::on_reason(const place&, const link_head&, bytes reason, type_directory&) {
  // The length takes a byte below 128, and two below 16384; reasons are not larger.
  link_bytes_ += reason.size() + (reason.size() < 0x80 ? 1 : 2);
}

void statistics::on_type(const place&, uint64_t, const stream_type&, bytes content) {
  ++definitions_;
  definition_bytes_ += content.size();
}

void statistics::on_signature(const place&, const stream_signature&, bytes content) {
  ++definitions_;
  definition_bytes_ += content.size();
}

void statistics::on_reset(const place&, bytes content) {
  definition_bytes_ += content.size();
}

void statistics::on_message(const place&, const found_message& msg) {
  ++messages_;
  message_bytes_ += msg.record.size();
  if (!check(msg).empty())
    ++errors_;
  std::string key;
  std::set<const stream_type*> types;
  auto definitions = msg.signature->definition_size;
  for (auto& type : msg.signature->types) {
    key += (key.empty() ? "" : ", ") + type->name;
    if (types.insert(type.get()).second)
      definitions += type->definition_size;
  }
  bytes_without_session_ += definitions;
  auto& list = lists_[key.empty() ? "(no elements)" : key];
  ++list.messages;
  list.bytes += msg.payload.size();
}

void statistics::print(std::ostream& out) const {
  auto row = [&](const char* name, uint64_t count, uint64_t size) {
    out << std::left << std::setw(24) << name << std::right << std::setw(12) << count
        << std::setw(16) << size << std::fixed << std::setprecision(1) << std::setw(9)
        << percent(size, stream_bytes_) << " %\n";
  };
  out << std::left << std::setw(24) << "" << std::right << std::setw(12) << "count" << std::setw(16)
      << "bytes" << std::setw(11) << "share\n";
  row("messages", messages_, message_bytes_);
  row("definitions", definitions_, definition_bytes_);
  row("frames", frames_, link_bytes_);
  out << "all streams" << std::setw(41) << stream_bytes_ << '\n';
  auto alone = stream_bytes_ - definition_bytes_ + bytes_without_session_;
  out << "with definitions in each message" << std::setw(20) << alone << ", so sessions save "
      << percent(alone - std::min(alone, stream_bytes_), alone) << " %\n";
  if (errors_ != 0)
    out << "messages that cannot be decoded" << std::setw(21) << errors_ << '\n';
  std::vector<std::pair<std::string, list_of_types>> lists{lists_.begin(), lists_.end()};
  std::stable_sort(lists.begin(), lists.end(),
                   [](auto& x, auto& y) { return x.second.bytes > y.second.bytes; });
  out << '\n'
      << std::setw(12) << "messages" << std::setw(16) << "payload bytes"
      << "  types\n";
  for (auto& [types, list] : lists)
    out << std::setw(12) << list.messages << std::setw(16) << list.bytes << "  " << types << '\n';
}

} // namespace cafwire::dump
