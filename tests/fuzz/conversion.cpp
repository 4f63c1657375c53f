// This file is part of cafwire. See the file LICENSE for license terms.

// Values of one type that are read as another one, by their schemas alone.

#include "fuzz/target.hpp"
#include "support/bytes.hpp"
#include "support/specimens.hpp"

#include <cafwire/codec.hpp>
#include <cafwire/evolution/plan.hpp>
#include <cafwire/evolution/transcode.hpp>
#include <cafwire/layout/value_walker.hpp>

#include <algorithm>

using namespace cafwire;

namespace {

/// Pairs of versions, older ones and newer ones.
constexpr const char* versions[] = {
  "{a:i32,b:seq(c8)}",
  "{b:seq(c8),a:i64}",
  "{a:opt(i16)}",
  "{a?:f64,b:seq(c8)}",
  "seq({x:i32,y:i32})",
  "seq({x:i32,y:i64})",
  "[3]{y:i8,x:f32}",
  "set({x:i32})",
  "map(seq(c8),var(i32,seq(c8),(bool,f32)))",
  "umap(seq(c8),var(seq(c8),i64,(bool,f32)))",
  "{list:seq(shared(seq(c8))),last:shared(seq(c8))}",
  "{last:shared(seq(c8)),list:seq(shared(seq(c8)))}",
  "{last:weak(seq(c8))}",
  "n;n{value:u8,next:seq(n)}",
  "n;n{next:seq(n),value:u32}",
  "opt(any(circle:{radius:u8},square:{side:u16}))",
  "any(square:{side:u32})",
  "(duration(i64,1/1000),time_point(i64,1/1),bits,bits(12),enum(u8))",
  "(duration(i32,1/1),time_point(i64,1/1000),bits,bits(12),enum(u16))",
  "(actor,caf::node_id,caf::uri,caf::config_value)",
};

layout::schema_tree parse(std::string_view text) {
  layout::schema_tree result;
  std::string problem;
  fuzz::require(layout::schema_tree::parse(text, result, problem) == ec::none, "a schema");
  return result;
}

const std::vector<std::string>& texts() {
  static const auto result = [] {
    std::vector<std::string> xs{std::begin(versions), std::end(versions)};
    test::for_each_specimen(
      [&xs]<class T>(const T&) { xs.push_back(layout::schema_of<T>().text); });
    return xs;
  }();
  return result;
}

} // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> result;
  auto add = [&](size_t from, size_t to, std::string_view payload) {
    std::string seed{static_cast<char>(from), static_cast<char>(to)};
    result.push_back(seed.append(payload));
  };
  // Zeros are a value of most types, and ones look like a length, a flag, or an object.
  for (size_t i = 0; i < std::size(versions); ++i) {
    for (auto to : {i, i ^ 1}) {
      add(i, to, std::string(16, '\0'));
      add(i, to, std::string(24, '\1'));
    }
  }
  auto index = std::size(versions);
  test::for_each_specimen([&](const auto& x) {
    output_buffer out;
    fuzz::require(serialize(out, x) == ec::none, "a specimen can be written");
    add(index, index, {reinterpret_cast<const char*>(out.data()), out.size()});
    ++index;
  });
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::input in{data, size};
  auto from_index = in.choice() % texts().size();
  auto to_index = in.choice() % texts().size();
  test::exact_copy payload{in.rest()};
  auto from = parse(texts()[from_index]);
  auto to = parse(texts()[to_index]);
  layout::value_walker walker{input_cursor{payload.get()}, limits::untrusted(), nullptr};
  auto valid = walker.skip(from.root()) && walker.cursor().at_end();
  evolution::plan plan{std::move(from), to, {}, nullptr};
  if (plan.root() == nullptr) {
    fuzz::require(!plan.problem().empty(), "a refusal has a text");
    return 0;
  }
  output_buffer out;
  evolution::transcoder convert{payload.get(), limits::untrusted(), nullptr, out};
  evolution::plan* plans[] = {&plan};
  if (!convert.run(plans)) {
    fuzz::require(convert.code() != ec::none, "a failure has a code");
    return 0;
  }
  if (from_index == to_index)
    fuzz::require(std::ranges::equal(out.bytes(), payload.get()), "a value stays as it is");
  layout::value_walker again{input_cursor{out.bytes()}, limits::trusted(), nullptr};
  // What is copied in blocks is left for a deserializer to check.
  if (valid)
    fuzz::require(again.skip(to.root()) && again.cursor().at_end(), "a value has come out");
  return 0;
}
