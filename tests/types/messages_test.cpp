// This file is part of cafwire. See the file LICENSE for license terms.

// Types that CAF cannot inspect by itself, as elements of messages: registered, sent through a
// session, and through CAF's own inspectors.

#include "cafwire/all.hpp"
#include "cafwire/encoded_access.hpp"

#include "support/catch.hpp"
#include "support/stock_codec.hpp"

#include <caf/deep_to_string.hpp>

#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <bitset>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <forward_list>
#include <memory>
#include <queue>
#include <stack>
#include <string>
#include <string_view>
#include <system_error>
#include <valarray>
#include <vector>

namespace message_test {

struct shape {
  virtual ~shape() = default;
};

struct circle : shape {
  int32_t radius = 0;
};

template <class Inspector>
bool inspect(Inspector& f, circle& x) {
  return f.object(x).fields(f.field("radius", x.radius));
}

/// All that CAF does not know.
struct cargo {
  std::stack<int32_t> stack;
  std::queue<std::string> queue;
  std::priority_queue<int32_t> priorities;
  std::forward_list<int16_t> list;
  std::bitset<12> bits;
  std::valarray<double> numbers = {};
  std::complex<float> complex;
  std::filesystem::path path;
  std::error_code code;
  std::shared_ptr<shape> first;
  std::shared_ptr<shape> second;
};

template <class Inspector>
bool inspect(Inspector& f, cargo& x) {
  return f.object(x).fields(f.field("stack", x.stack), f.field("queue", x.queue),
                            f.field("priorities", x.priorities), f.field("list", x.list),
                            f.field("bits", x.bits), f.field("numbers", x.numbers),
                            f.field("complex", x.complex), f.field("path", x.path),
                            f.field("code", x.code), f.field("first", x.first),
                            f.field("second", x.second));
}

/// A container of an application that has a formatter only.
struct ring {
  std::vector<int32_t> items;

  friend bool operator==(const ring&, const ring&) = default;
};

} // namespace message_test

using namespace message_test;

template <>
inline constexpr auto cafwire::derived_types<shape> = cafwire::derived_list<circle>{};

template <>
inline constexpr std::string_view cafwire::wire_name<circle> = "circle";

template <>
struct cafwire::formatter<ring> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const ring& x) {
    return f.apply(x.items);
  }

  static bool load(deserializer& f, ring& x) {
    return f.apply(x.items);
  }

  static void schema(layout::schema_builder& f) {
    f.type<std::vector<int32_t>>();
  }
};

template <>
struct caf::inspector_access<ring> : cafwire::encoded_access<ring> {};

CAF_BEGIN_TYPE_ID_BLOCK(message_test, first_custom_type_id)
  CAF_ADD_TYPE_ID(message_test, (cargo))
  CAF_ADD_TYPE_ID(message_test, (ring))
CAF_END_TYPE_ID_BLOCK(message_test)

namespace {

class setup : public Catch::EventListenerBase {
public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    caf::core::init_global_meta_objects();
    cafwire::init_global_meta_objects<caf::id_block::message_test>();
  }
};

CATCH_REGISTER_LISTENER(setup)

cargo make_cargo() {
  cargo x;
  x.stack.push(1);
  x.stack.push(2);
  x.queue.push("a");
  for (auto number : {1, 5, 3})
    x.priorities.push(number);
  x.list = {1, 2, 3};
  x.bits = 0x801;
  x.numbers = {1.5, 2.5};
  x.complex = {1, -1};
  x.path = "/a/b";
  x.code = std::make_error_code(std::errc::invalid_argument);
  auto object = std::make_shared<circle>();
  object->radius = 7;
  x.first = object;
  x.second = object;
  return x;
}

void check_cargo(const cargo& x, const cargo& y) {
  CHECK(x.stack == y.stack);
  CHECK(x.queue == y.queue);
  CHECK(x.priorities.size() == y.priorities.size());
  CHECK(x.priorities.top() == y.priorities.top());
  CHECK(x.list == y.list);
  CHECK(x.bits == y.bits);
  REQUIRE(x.numbers.size() == y.numbers.size());
  CHECK(x.numbers[1] == y.numbers[1]);
  CHECK(x.complex == y.complex);
  CHECK(x.path == y.path);
  CHECK(x.code == y.code);
  auto circle_of = [](const std::shared_ptr<shape>& z) {
    return std::dynamic_pointer_cast<circle>(z);
  };
  REQUIRE(circle_of(y.first) != nullptr);
  CHECK(circle_of(x.first)->radius == circle_of(y.first)->radius);
}

} // namespace

TEST_CASE("messages carry types that CAF does not know") {
  auto x = make_cargo();
  cafwire::serializer_session writer;
  cafwire::output_buffer out;
  auto msg = caf::make_message(x, ring{{1, 2, 3}}, int32_t{5});
  REQUIRE(writer.write_message(out, msg) == cafwire::ec::none);
  cafwire::deserializer_session reader;
  cafwire::input_cursor in{out.bytes()};
  caf::message copy;
  REQUIRE(reader.read_message(in, copy) == cafwire::ec::none);
  REQUIRE(copy.match_elements<cargo, ring, int32_t>());
  auto& y = copy.get_as<cargo>(0);
  check_cargo(x, y);
  CHECK(y.first == y.second);
  CHECK(copy.get_as<ring>(1) == ring{{1, 2, 3}});
}

TEST_CASE("shared objects belong to one message of a session") {
  auto x = make_cargo();
  cafwire::serializer_session writer;
  cafwire::output_buffer out;
  REQUIRE(writer.write_message(out, caf::make_message(x, x)) == cafwire::ec::none);
  REQUIRE(writer.write_message(out, caf::make_message(x)) == cafwire::ec::none);
  // In a message in a message, too.
  auto outer = caf::make_message(x, caf::make_message(x));
  REQUIRE(writer.write_message(out, outer) == cafwire::ec::none);
  cafwire::deserializer_session reader;
  cafwire::input_cursor in{out.bytes()};
  caf::message first;
  caf::message second;
  caf::message third;
  REQUIRE(reader.read_message(in, first) == cafwire::ec::none);
  REQUIRE(reader.read_message(in, second) == cafwire::ec::none);
  REQUIRE(reader.read_message(in, third) == cafwire::ec::none);
  auto& object = first.get_as<cargo>(0).first;
  CHECK(object == first.get_as<cargo>(0).second);
  CHECK(object == first.get_as<cargo>(1).first);
  CHECK(object != second.get_as<cargo>(0).first);
  CHECK(object.use_count() == 4);
  auto& inner = third.get_as<caf::message>(1);
  CHECK(third.get_as<cargo>(0).first == inner.get_as<cargo>(0).first);
}

TEST_CASE("CAF's own inspectors write them as the bytes of cafwire") {
  auto x = make_cargo();
  cargo y;
  REQUIRE(test::stock_round_trip(x, y));
  check_cargo(x, y);
  cargo z;
  REQUIRE(test::from_json(test::to_json(x), z));
  check_cargo(x, z);
  ring r;
  REQUIRE(test::stock_round_trip(ring{{1, 2, 3}}, r));
  CHECK(r == ring{{1, 2, 3}});
  CHECK_FALSE(caf::deep_to_string(x).empty());
}

TEST_CASE("bytes that are no value are an error of CAF's inspectors") {
  // A sequence that announces more than it has.
  ring r;
  caf::byte_buffer bytes;
  auto inner = caf::byte_buffer{cafwire::compat::byte{5}, cafwire::compat::byte{1}};
  REQUIRE(test::stock_save(bytes, inner));
  CHECK(test::stock_load(bytes, r) == cafwire::ec::length_exceeds_input);
}

TEST_CASE("cafwire writes such types without the detour") {
  cafwire::output_buffer out;
  REQUIRE(cafwire::serialize(out, ring{{1}}, std::bitset<12>{1}) == cafwire::ec::none);
  CHECK(out.size() == 5 + 2);
}
