// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/probe.hpp"

#include "cafwire/inspect/serializer.hpp"

#include "support/cases/all.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace cafwire::layout;
using namespace test::cases;

namespace {

using save_probe = probe<probe_mode::save>;
using load_probe = probe<probe_mode::load>;
using judging_probe = probe<probe_mode::accept>;

/// Writes strings and lists through the inspector's own functions.
struct talkative {
  int32_t a = 0;
};

template <class Inspector>
bool inspect(Inspector& f, talkative& x) {
  size_t n = 0;
  if (!f.begin_sequence(n) || !f.end_sequence())
    return false;
  if (!f.begin_associative_array(n) || !f.end_associative_array())
    return false;
  return f.apply(x.a);
}

/// Reports an error through the inspector.
struct complaining {
  int32_t a = 0;
};

template <class Inspector>
bool inspect(Inspector& f, complaining& x) {
  f.emplace_error(caf::sec::invalid_argument);
  return f.apply(x.a);
}

} // namespace

TEST_CASE("a probe counts encoded bytes and remembers where it was") {
  auto x = point{1, 2, 3};
  save_probe f{&x};
  CHECK(f.encoded_size() == 0);
  CHECK(f.apply(x.x));
  CHECK(f.encoded_size() == 4);
  CHECK(f.apply(x.y));
  CHECK(f.obstacles() == 0);
  // The third field is next; the first one is not.
  CHECK(f.apply(x.x));
  CHECK(f.obstacles() == out_of_place);
  CHECK(f.encoded_size() == 12);
}

TEST_CASE("a probe starts over with another object") {
  auto x = point{1, 2, 3};
  auto y = point{4, 5, 6};
  load_probe f{&x};
  CHECK(f.apply(x));
  f.rebase(&y);
  CHECK(f.encoded_size() == 0);
  CHECK(f.apply(y));
  CHECK(f.obstacles() == 0);
  CHECK(f.encoded_size() == sizeof(point));
}

TEST_CASE("a probe leaves objects alone") {
  auto x = flags{1, true, false, 2};
  auto y = x;
  save_probe save{&x};
  CHECK(save.apply(x));
  load_probe load{&x};
  CHECK(load.apply(x));
  judging_probe judge{&x};
  CHECK(judge.apply(x));
  CHECK(x.number == y.number);
  CHECK(x.a == y.a);
  CHECK(x.b == y.b);
  CHECK(x.rest == y.rest);
}

TEST_CASE("a long double takes ten bytes and is never in place") {
  auto x = extended{};
  save_probe f{&x};
  CHECK(f.apply(x));
  CHECK(f.encoded_size() == 10);
  CHECK(f.obstacles() == out_of_place);
}

TEST_CASE("everything of variable size is an obstacle") {
  auto text = std::string{};
  auto maybe = std::optional<int32_t>{};
  auto list = std::vector<int32_t>{};
  save_probe f{&text};
  CHECK(f.apply(text));
  CHECK(f.obstacles() == dynamic_size);
  load_probe g{&maybe};
  CHECK(g.apply(maybe));
  CHECK(g.obstacles() == dynamic_size);
  judging_probe h{&list};
  CHECK(h.apply(list));
  CHECK(h.obstacles() == dynamic_size);
  auto x = talkative{};
  save_probe i{&x};
  CHECK(i.apply(x));
  CHECK((i.obstacles() & dynamic_size) != 0);
  load_probe j{&x};
  CHECK(j.apply(x));
  CHECK((j.obstacles() & dynamic_size) != 0);
}

TEST_CASE("a reported error is an obstacle") {
  auto x = complaining{};
  save_probe f{&x};
  CHECK(f.apply(x));
  CHECK(f.obstacles() == refused);
}

TEST_CASE("a volatile member is an obstacle") {
  volatile int32_t x = 1;
  save_probe f{const_cast<int32_t*>(&x)};
  CHECK(f.apply(x));
  CHECK(f.obstacles() == out_of_place);
}

TEST_CASE("only the judging probe runs invariants") {
  auto x = with_invariant{-1, 2};
  load_probe load{&x};
  CHECK(load.apply(x));
  judging_probe judge{&x};
  CHECK_FALSE(judge.apply(x));
  x.low = 0;
  judging_probe again{&x};
  CHECK(again.apply(x));
  CHECK(again.obstacles() == 0);
}

TEST_CASE("only the judging probe asks enums") {
  auto x = colored{static_cast<color>(9), 2};
  load_probe load{&x};
  CHECK(load.apply(x));
  CHECK(load.obstacles() == 0);
  judging_probe judge{&x};
  CHECK_FALSE(judge.apply(x));
}

TEST_CASE("probes are no human-readable formats and know their direction") {
  STATIC_CHECK_FALSE(save_probe::has_human_readable_format());
  STATIC_CHECK_FALSE(save_probe::is_loading);
  STATIC_CHECK(load_probe::is_loading);
  STATIC_CHECK(judging_probe::is_loading);
}
