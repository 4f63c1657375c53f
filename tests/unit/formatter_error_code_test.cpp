// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/error_code.hpp"

#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <future>
#include <ios>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

using cafwire::ec;
using test::check_wire;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

class category : public std::error_category {
public:
  explicit category(const char* name) : name_(name) {
    // nop
  }

  const char* name() const noexcept override {
    return name_;
  }

  std::string message(int) const override {
    return "failed";
  }

private:
  const char* name_;
};

const category known{"test.known"};
const category unknown{"test.unknown"};
const category impostor{"test.known"};

constexpr auto schema = "(seq(c8),i32)";

} // namespace

TEST_CASE("an error code is the name of its category and its value") {
  check_wire(std::error_code{5, std::generic_category()}, std::error_code{},
             {schema, "07 67656e65726963 05000000"});
  check_wire(std::error_code{}, std::error_code{1, std::generic_category()},
             {schema, "06 73797374656d 00000000"});
  check_wire(std::make_error_condition(std::errc::invalid_argument), std::error_condition{},
             {schema, "07 67656e65726963 16000000"});
  for (auto value : {std::numeric_limits<int>::min(), -1, std::numeric_limits<int>::max()}) {
    for (auto* each : {&std::generic_category(), &std::system_category(), &std::iostream_category(),
                       &std::future_category()}) {
      auto x = std::error_code{value, *each};
      auto y = test::decode<std::error_code>(encode(x));
      CHECK(y == x);
      CHECK(&y.category() == each);
    }
  }
}

TEST_CASE("categories of applications are added by hand") {
  auto x = std::error_code{7, known};
  auto bytes = encode(std::string{"test.known"}, int32_t{7});
  cafwire::output_buffer out;
  CHECK(cafwire::serialize(out, x) == ec::unknown_error_category);
  CHECK(out.empty());
  CHECK(decode_code<std::error_code>(bytes) == ec::unknown_error_category);
  CHECK(cafwire::add_error_category(known));
  CHECK(cafwire::add_error_category(known));
  CHECK(to_hex(encode(x)) == to_hex(bytes));
  CHECK(test::decode<std::error_code>(bytes) == x);
  // Another category of that name would come out as the wrong one.
  CHECK_FALSE(cafwire::add_error_category(impostor));
  CHECK(cafwire::serialize(out, std::error_code{7, impostor}) == ec::unknown_error_category);
}

TEST_CASE("an unknown category is an error that names it") {
  auto y = std::error_code{1, std::generic_category()};
  auto bytes = encode(std::string{"test.unknown"}, int32_t{7});
  cafwire::deserializer f{bytes};
  CHECK_FALSE(f.apply(y));
  CHECK(f.code() == ec::unknown_error_category);
  CHECK(f.detail() == "test.unknown");
  CHECK(y == std::error_code{1, std::generic_category()});
  cafwire::output_buffer out;
  cafwire::serializer g{out};
  CHECK_FALSE(g.apply(std::error_code{7, unknown}));
  CHECK(g.detail() == "test.unknown");
  test::check_hostile_length(std::error_code{});
}

TEST_CASE("error codes may be elements") {
  auto xs = std::vector<std::error_code>{std::error_code{1, std::generic_category()}, {}};
  auto ys = std::vector<std::error_code>(3);
  CHECK(decode_into(ys, encode(xs)) == ec::none);
  CHECK(ys == xs);
}
