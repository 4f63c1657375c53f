// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/vector_file.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace session_test {

namespace {

using json = nlohmann::json;

json read_file(const std::string& file) {
  std::ifstream in{std::string{CAFWIRE_VECTORS_DIR} + "/v1/" + file};
  if (!in)
    throw std::runtime_error{"cannot open " + file};
  return json::parse(in);
}

} // namespace

std::vector<vector_case> read_cases(const std::string& file) {
  std::vector<vector_case> result;
  for (auto& x : read_file(file)) {
    auto& next = result.emplace_back();
    next.name = x.at("name");
    next.schema = x.value("schema", std::string{});
    next.note = x.at("note");
    next.error = x.value("error", std::string{});
    next.hex = x.at("bytes");
    next.bytes = from_hex(next.hex);
    if (auto i = x.find("value"); i != x.end())
      next.value = i->dump();
  }
  return result;
}

std::vector<vector_stream> read_streams(const std::string& file) {
  std::vector<vector_stream> result;
  for (auto& x : read_file(file)) {
    auto& next = result.emplace_back();
    next.name = x.at("name");
    for (auto& record : x.at("records"))
      next.records.push_back(
        {record.at("kind"), record.at("note"), from_hex(std::string{record.at("bytes")})});
  }
  return result;
}

std::vector<vector_slot> read_slots() {
  std::vector<vector_slot> result;
  for (auto& x : read_file("core_slots.json"))
    result.push_back({x.at("slot"), x.at("name"), x.at("schema")});
  return result;
}

std::vector<vector_conversion> read_conversions(const std::string& file) {
  std::vector<vector_conversion> result;
  for (auto& x : read_file(file))
    result.push_back({x.at("name"), x.at("schema"), x.at("bytes"), x.at("reader_schema"),
                      from_hex(x.value("reader_bytes", std::string{})),
                      x.value("error", std::string{})});
  return result;
}

std::vector<vector_recording> read_recordings(const std::string& file) {
  std::vector<vector_recording> result;
  for (auto& x : read_file(file)) {
    auto& next = result.emplace_back();
    next.name = x.at("name");
    next.bytes = from_hex(std::string{x.at("bytes")});
    for (auto& chunk : x.at("chunks"))
      next.chunks.push_back({chunk.at("kind"), chunk.at("direction"), chunk.at("stream"),
                             chunk.at("time"), from_hex(std::string{chunk.at("body")})});
  }
  return result;
}

std::vector<vector_link> read_links(const std::string& file) {
  std::vector<vector_link> result;
  for (auto& link : read_file(file)) {
    auto& next_link = result.emplace_back();
    next_link.name = link.at("name");
    next_link.key = from_hex(link.value("key", std::string{}));
    for (auto& direction : link.at("directions")) {
      auto& frames = next_link.directions.emplace_back();
      for (auto& frame : direction) {
        auto& next = frames.emplace_back();
        next.note = frame.at("note");
        next.bytes = from_hex(std::string{frame.at("bytes")});
        for (auto& x : frame.at("records"))
          next.records.push_back(
            {x.at("op"), x.value("target", uint64_t{0}), x.value("source", uint64_t{0}),
             x.value("returned", false), x.value("relayed_target", false),
             x.value("relayed_source", false), x.value("id", uint64_t{0}), x.contains("id")});
      }
    }
  }
  return result;
}

} // namespace session_test
