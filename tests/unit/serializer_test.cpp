// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/serializer.hpp"

#include "support/cases/all.hpp"
#include "support/codec.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <cstdint>
#include <limits>
#include <string>

using cafwire::ec;
using cafwire::output_buffer;
using cafwire::serializer;
using test::encode;
using test::to_hex;
using namespace test::cases;

namespace {

/// Sets an error of its own before it fails.
struct complaining {
  int32_t a = 0;
};

template <class Inspector>
bool inspect(Inspector& f, complaining& x) {
  if (!f.apply(x.a))
    return false;
  f.set_error(caf::error{caf::sec::invalid_argument});
  return false;
}

/// The save callback says why it fails.
struct failing_callback {
  int32_t a = 0;
  bool with_error = false;
};

template <class Inspector>
bool inspect(Inspector& f, failing_callback& x) {
  if (x.with_error)
    return f.object(x)
      .on_save([]() -> caf::error { return caf::sec::end_of_stream; })
      .fields(f.field("a", x.a));
  return f.object(x).on_save([] { return false; }).fields(f.field("a", x.a));
}

/// Uses all of the inspector's functions that CAF documents.
struct by_all_means {
  std::string text;
  int32_t number = 0;
};

template <class Inspector>
bool save_by_all_means(Inspector& f, by_all_means& x) {
  caf::type_id_t ids[] = {caf::type_id_v<int32_t>, caf::type_id_v<std::string>};
  auto types = caf::span<const caf::type_id_t>{ids, 2};
  auto raw = cafwire::compat::byte{0xee};
  return f.begin_object(caf::invalid_type_id, "x") && f.begin_field("a")
         && f.value(cafwire::compat::string_view{x.text.data(), x.text.size()}) && f.end_field()
         && f.begin_field("b", true) && f.value(x.number) && f.end_field()
         && f.begin_field("c", false) && f.end_field() && f.begin_field("d", types, size_t{1})
         && f.value(x.text) && f.end_field() && f.begin_field("e", true, types, size_t{0})
         && f.value(x.number) && f.end_field() && f.begin_field("f", false, types, size_t{0})
         && f.end_field() && f.begin_tuple(1) && f.value(true) && f.end_tuple()
         && f.begin_sequence(2) && f.value(int8_t{1}) && f.value(int8_t{2}) && f.end_sequence()
         && f.begin_associative_array(1) && f.begin_key_value_pair() && f.value(int8_t{3})
         && f.value(int8_t{4}) && f.end_key_value_pair() && f.end_associative_array()
         && f.value(caf::span<const cafwire::compat::byte>{&raw, 1}) && f.end_object();
}

} // namespace

TEST_CASE("numbers are little endian") {
  CHECK(to_hex(encode(uint8_t{0x12})) == "12");
  CHECK(to_hex(encode(uint16_t{0x1234})) == "3412");
  CHECK(to_hex(encode(uint32_t{0x12345678})) == "78563412");
  CHECK(to_hex(encode(uint64_t{0x123456789abcdef0})) == "f0debc9a78563412");
  CHECK(to_hex(encode(int8_t{-1})) == "ff");
  CHECK(to_hex(encode(int16_t{-2})) == "feff");
  CHECK(to_hex(encode(std::numeric_limits<int32_t>::min())) == "00000080");
  CHECK(to_hex(encode(std::numeric_limits<int64_t>::max())) == "ffffffffffffff7f");
  CHECK(to_hex(encode(true)) == "01");
  CHECK(to_hex(encode(false)) == "00");
  CHECK(to_hex(encode('A')) == "41");
  CHECK(to_hex(encode(u'\u20ac')) == "ac20");
  CHECK(to_hex(encode(U'\U0001f600')) == "00f60100");
  CHECK(to_hex(encode(std::byte{0xab})) == "ab");
  CHECK(to_hex(encode(1.0f)) == "0000803f");
  CHECK(to_hex(encode(-2.0)) == "00000000000000c0");
  CHECK(to_hex(encode(1.0L)) == "0000000000000080ff3f");
}

TEST_CASE("structs are their fields, packed") {
  CHECK(to_hex(encode(point{1, 2, 3})) == "010000000200000003000000");
  CHECK(to_hex(encode(padded_middle{1, 2})) == "0102000000");
  CHECK(to_hex(encode(out_of_order{1, 2, 3})) == "030000000100000002000000");
  CHECK(to_hex(encode(omits_middle{1, 2, 3})) == "0100000003000000");
  CHECK(to_hex(encode(nothing{})) == "");
  CHECK(to_hex(encode(no_default{1})) == "01000000ffffffff");
  CHECK(to_hex(encode(with_fallback{1, 3})) == "0100000000");
  CHECK(to_hex(encode(with_fallback{1, 4})) == "010000000104000000");
  auto target = int32_t{7};
  CHECK(to_hex(encode(with_reference{target, 8})) == "0700000008000000");
}

TEST_CASE("constant objects can be written") {
  const auto x = point{1, 2, 3};
  const int32_t row[] = {1, 2};
  CHECK(to_hex(encode(x)) == "010000000200000003000000");
  CHECK(to_hex(encode(row)) == "0100000002000000");
}

TEST_CASE("the buffer learns its size when the serializer is flushed or ends") {
  output_buffer out;
  {
    serializer f{out};
    REQUIRE(f.apply(int32_t{1}));
    CHECK(f.written() == 4);
    f.flush();
    CHECK(out.size() == 4);
    REQUIRE(f.apply(int8_t{2}));
    CHECK(f.written() == 5);
  }
  CHECK(to_hex(out.bytes()) == "0100000002");
}

TEST_CASE("a serializer that failed drops everything it wrote") {
  output_buffer out;
  REQUIRE(out.append("abc", 3));
  {
    serializer f{out};
    REQUIRE(f.apply(std::string(1000, 'x')));
    CHECK_FALSE(f.apply(complaining{}));
    CHECK(f.failed());
    CHECK(f.code() == ec::inspect_failed);
    CHECK(f.get_error() == caf::sec::invalid_argument);
  }
  CHECK(to_hex(out.bytes()) == "616263");
}

TEST_CASE("the first error counts") {
  output_buffer out;
  serializer f{out};
  CHECK_FALSE(f.fail(ec::depth_limit));
  CHECK_FALSE(f.fail(ec::invalid_bool, "text"));
  f.set_error(caf::sec::invalid_argument);
  CHECK(f.code() == ec::depth_limit);
  CHECK(f.get_error() == ec::depth_limit);
  CHECK(f.detail().empty());
}

TEST_CASE("an error may carry a text") {
  output_buffer out;
  serializer f{out};
  CHECK_FALSE(f.fail(ec::unknown_type, "app::point"));
  CHECK(f.detail() == "app::point");
  CHECK(f.get_error() == ec::unknown_type);
}

TEST_CASE("no error is no error") {
  output_buffer out;
  serializer f{out};
  f.set_error(caf::error{});
  CHECK_FALSE(f.failed());
  CHECK(f.get_error().empty());
}

TEST_CASE("save callbacks may refuse") {
  output_buffer out;
  CHECK(cafwire::serialize(out, failing_callback{1, false}) == ec::callback_failed);
  serializer f{out};
  CHECK_FALSE(f.apply(failing_callback{1, true}));
  CHECK(f.get_error() == caf::sec::end_of_stream);
}

TEST_CASE("the functions behind CAF's DSL can be called by hand") {
  output_buffer out;
  auto x = by_all_means{"hi", 5};
  {
    serializer f{out};
    REQUIRE(save_by_all_means(f, x));
  }
  CHECK(to_hex(out.bytes())
        == "026869"       // a
           "0105000000"   // b
           "00"           // c
           "01026869"     // d
           "010005000000" // e
           "00"           // f
           "01"           // tuple
           "020102"       // sequence
           "010304"       // map
           "ee");         // bytes
}

TEST_CASE("getters are called once per value") {
  auto calls = 0;
  output_buffer out;
  serializer f{out};
  CHECK(f.apply([&calls] { return ++calls; }, [](int) { return true; }));
  CHECK(calls == 1);
}

TEST_CASE("long runs begin on a multiple of 16 from the begin of the message") {
  for (size_t n : {255, 256, 257}) {
    for (size_t prefix = 0; prefix < 16; ++prefix) {
      output_buffer out;
      serializer f{out};
      for (size_t i = 0; i < prefix; ++i)
        REQUIRE(f.byte(0xff));
      REQUIRE(f.align_run(n));
      CHECK(f.written() == (n >= 256 ? (prefix + 15) / 16 * 16 : prefix));
      f.flush();
      for (size_t i = prefix; i < out.size(); ++i)
        CHECK(out.data()[i] == std::byte{0});
    }
  }
}
