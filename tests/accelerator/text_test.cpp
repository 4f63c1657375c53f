// This file is part of cafwire. See the file LICENSE for license terms.

// JSON, configurations and texts are the same with and without the accelerator.

#include "accelerator/types.hpp"
#include "support/catch.hpp"

#include <caf/config_value.hpp>
#include <caf/config_value_reader.hpp>
#include <caf/config_value_writer.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/settings.hpp>

#if __has_include(<caf/json_writer.hpp>)
#  include <caf/json_reader.hpp>
#  include <caf/json_writer.hpp>
#  define WITH_JSON 1
#else
#  define WITH_JSON 0
#endif

#include <string>

using namespace accelerator_test;

namespace {

/// Gives both kinds of types the same name.
std::string with_one_name(std::string text) {
  constexpr auto name = std::string_view{"accelerator_test::stock"};
  for (auto pos = text.find(name); pos != std::string::npos; pos = text.find(name))
    text.replace(pos, name.size(), "accelerator_test::fast");
  return text;
}

template <class T>
std::string text_of(const T& x) {
  return with_one_name(caf::deep_to_string(x));
}

} // namespace

TEST_CASE("texts are the same") {
  CHECK(text_of(make_matrix<fast>(1)) == text_of(make_matrix<stock>(1)));
  CHECK(text_of(make_matrices<fast>(3)) == text_of(make_matrices<stock>(3)));
  CHECK(text_of(lamp<fast>{}).ends_with("(0, false, light)"));
  CHECK(text_of(make_scene<fast>()) == text_of(make_scene<stock>()));
  CHECK(to_string(caf::make_message(lamp<fast>{1, true, shade::dark})).find("(1, true, dark)")
        != std::string::npos);
}

#if WITH_JSON

namespace {

template <class T>
std::string json_of(const T& x) {
  caf::json_writer writer;
  REQUIRE(writer.apply(x));
  return with_one_name(std::string{writer.str().data(), writer.str().size()});
}

template <class T>
void check_json(const T& x) {
  caf::json_writer writer;
  REQUIRE(writer.apply(x));
  caf::json_reader reader;
  REQUIRE(reader.load(writer.str()));
  T copy{};
  CHECK(reader.apply(copy));
  CHECK(copy == x);
}

} // namespace

TEST_CASE("JSON is the same") {
  CHECK(json_of(make_matrix<fast>(1)) == json_of(make_matrix<stock>(1)));
  CHECK(json_of(make_matrices<fast>(3)) == json_of(make_matrices<stock>(3)));
  CHECK(json_of(make_scene<fast>()) == json_of(make_scene<stock>()));
  CHECK(json_of(lamp<fast>{}).find("\"light\"") != std::string::npos);
  check_json(make_matrix<fast>(1));
  check_json(make_matrices<fast>(3));
  check_json(std::vector<lamp<fast>>(3, {1, true, shade::dark}));
}

#endif

TEST_CASE("configurations are the same") {
  caf::settings xs;
  caf::put(xs, "level", 7);
  caf::put(xs, "on", true);
  caf::put(xs, "color", "dark");
  auto value = caf::config_value{xs};
  auto got = caf::get_as<lamp<fast>>(value);
  REQUIRE(got);
  CHECK(*got == lamp<fast>{7, true, shade::dark});
  auto list = caf::config_value{std::vector<caf::config_value>{value, value}};
  auto several = caf::get_as<std::vector<lamp<fast>>>(list);
  REQUIRE(several);
  CHECK(*several == std::vector<lamp<fast>>(2, {7, true, shade::dark}));
  CHECK(static_cast<bool>(caf::get_as<std::vector<lamp<stock>>>(list)));
  CHECK(!caf::get_as<std::vector<lamp<fast>>>(caf::config_value{true}));

  caf::config_value written;
  caf::config_value_writer writer{&written};
  REQUIRE(writer.apply(make_scene<fast>()));
  caf::config_value reference;
  caf::config_value_writer other_writer{&reference};
  REQUIRE(other_writer.apply(make_scene<stock>()));
  CHECK(with_one_name(to_string(written)) == with_one_name(to_string(reference)));
  caf::config_value matrices;
  caf::config_value_writer matrix_writer{&matrices};
  REQUIRE(matrix_writer.apply(make_matrices<fast>(3)));
  caf::config_value_reader matrix_reader{&matrices};
  std::vector<matrix<fast>> copy;
  CHECK(matrix_reader.apply(copy));
  CHECK(copy == make_matrices<fast>(3));
}
