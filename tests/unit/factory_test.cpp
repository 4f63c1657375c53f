// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/factory.hpp"

#include "cafwire/codec.hpp"

#include "support/codec.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

using cafwire::ec;
using cafwire::layout::make_element;
using cafwire::layout::schema_of;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace factory_test {

/// Plain data without a default constructor.
struct coin {
  explicit coin(int16_t x) : value(x) {
    // nop
  }

  int16_t value;

  friend auto operator<=>(const coin&, const coin&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, coin& x) {
  return f.object(x).fields(f.field("value", x.value));
}

/// Owns something, and there is no account without an owner.
class account {
public:
  explicit account(std::string owner) : owner_(std::move(owner)) {
    // nop
  }

  const std::string& owner() const {
    return owner_;
  }

  friend auto operator<=>(const account&, const account&) = default;

  template <class Inspector>
  friend bool inspect(Inspector& f, account& x) {
    return f.object(x).fields(f.field("owner", x.owner_));
  }

private:
  std::string owner_;
};

/// Has a default constructor, but a factory is preferred. The member is not on the wire.
struct with_default {
  int8_t a = 1;
  int8_t origin = 1;
};

template <class Inspector>
bool inspect(Inspector& f, with_default& x) {
  return f.object(x).fields(f.field("a", x.a));
}

/// A setter takes an account.
struct bank {
  std::string owner;
};

template <class Inspector>
bool inspect(Inspector& f, bank& x) {
  auto get = [&x] { return account{x.owner}; };
  auto set = [&x](account y) { x.owner = y.owner(); };
  return f.object(x).fields(f.field("account", get, set));
}

/// Moves, but does not copy.
class token {
public:
  token() = default;

  explicit token(int8_t x) : value_(std::make_unique<int8_t>(x)) {
    // nop
  }

  int8_t get() const {
    return value_ != nullptr ? *value_ : int8_t{-1};
  }

  friend bool operator==(const token& x, const token& y) {
    return x.get() == y.get();
  }

  friend bool operator<(const token& x, const token& y) {
    return x.get() < y.get();
  }

  template <class Inspector>
  friend bool inspect(Inspector& f, token& x) {
    auto get = [&x] { return x.get(); };
    auto set = [&x](int8_t y) { x.value_ = std::make_unique<int8_t>(y); };
    return f.object(x).fields(f.field("value", get, set));
  }

private:
  std::unique_ptr<int8_t> value_;
};

struct hash {
  size_t operator()(const token& x) const {
    return static_cast<size_t>(x.get());
  }

  size_t operator()(const account& x) const {
    return x.owner().size();
  }
};

} // namespace factory_test

using namespace factory_test;

template <>
struct cafwire::factory<coin> {
  static coin make() {
    return coin{0};
  }
};

template <>
struct cafwire::factory<account> {
  static account make() {
    return account{"nobody"};
  }
};

template <>
struct cafwire::factory<with_default> {
  static with_default make() {
    return {2, 2};
  }
};

namespace {

/// Checks that a container of two elements arrives in new and in old containers.
template <class T>
void check_container(T x, T old) {
  auto bytes = encode(x);
  auto fresh = make_element<T>();
  CHECK(decode_into(fresh, bytes) == ec::none);
  CHECK(decode_into(old, bytes) == ec::none);
  if constexpr (requires { typename T::hasher; }) {
    // In any order.
    CHECK(fresh == x);
    CHECK(old == x);
  } else {
    CHECK(to_hex(encode(fresh)) == to_hex(bytes));
    CHECK(to_hex(encode(old)) == to_hex(bytes));
  }
  bytes.pop_back();
  CHECK(decode_into(old, bytes) != ec::none);
}

template <class T>
T two(const account& x, const account& y) {
  T result;
  result.insert(result.end(), x);
  result.insert(result.end(), y);
  return result;
}

template <class T>
void check_accounts() {
  check_container(two<T>(account{"a"}, account{"b"}), T{});
  check_container(two<T>(account{"a"}, account{"b"}), two<T>(account{"old"}, account{"older"}));
}

template <class T>
T two_tokens() {
  T result;
  for (auto i : {1, 2}) {
    if constexpr (requires { result.push(token{}); })
      result.push(token{static_cast<int8_t>(i)});
    else if constexpr (requires { result.insert(result.end(), token{}); })
      result.insert(result.end(), token{static_cast<int8_t>(i)});
    else
      result.push_front(token{static_cast<int8_t>(i)});
  }
  return result;
}

template <class T>
void check_tokens() {
  check_container(two_tokens<T>(), T{});
  check_container(two_tokens<T>(), two_tokens<T>());
}

} // namespace

TEST_CASE("a factory creates what has no default constructor") {
  CHECK(make_element<account>().owner() == "nobody");
  CHECK(make_element<int>() == 0);
  CHECK(make_element<std::pair<account, int>>().first.owner() == "nobody");
  CHECK(std::get<1>(make_element<std::tuple<int, account>>()).owner() == "nobody");
  CHECK(make_element<std::array<account, 2>>()[1].owner() == "nobody");
  CHECK(make_element<std::array<account, 0>>().empty());
  CHECK(make_element<with_default>().a == 2);
  STATIC_CHECK(cafwire::layout::is_creatable<std::array<coin, 3>>::value);
  STATIC_CHECK_FALSE(cafwire::layout::is_creatable<std::tuple<int, int&>>::value);
}

TEST_CASE("the schema of a type with a factory lists its fields") {
  CHECK(schema_of<account>().text == "{owner:seq(c8)}");
  CHECK(schema_of<coin>().text == "{value:i16}");
  CHECK(schema_of<std::vector<std::pair<account, coin>>>().text
        == "seq(({owner:seq(c8)},{value:i16}))");
}

TEST_CASE("containers hold elements that come from a factory") {
  check_accounts<std::vector<account>>();
  check_accounts<std::deque<account>>();
  check_accounts<std::list<account>>();
  check_accounts<std::set<account>>();
  check_accounts<std::multiset<account>>();
  check_accounts<std::unordered_set<account, hash>>();
  using forward = std::forward_list<account>;
  check_container(forward{account{"a"}, account{"b"}}, forward{account{"old"}});
  using map = std::map<account, account>;
  check_container(map{{account{"a"}, account{"b"}}}, map{{account{"old"}, account{"older"}}});
  using hash_map = std::unordered_map<int8_t, account>;
  check_container(hash_map{{int8_t{1}, account{"b"}}}, hash_map{});
  using pairs = std::vector<std::pair<int8_t, account>>;
  check_container(pairs{{int8_t{1}, account{"b"}}}, pairs{});
  using arrays = std::vector<std::array<account, 2>>;
  check_container(arrays{{account{"a"}, account{"b"}}}, arrays{});
  using stack = std::stack<account>;
  check_container(stack{{account{"a"}}}, stack{});
}

TEST_CASE("plain data without a default constructor is copied in bulk") {
  using coins = std::vector<coin>;
  CHECK(cafwire::layout::may_blit_load<coin>());
  auto xs = coins(1000, coin{7});
  check_container(xs, coins{});
  for (size_t shift = 0; shift < 3; ++shift) {
    auto prefix = std::string(shift, 'x');
    auto ys = coins(3, coin{1});
    std::string text;
    cafwire::output_buffer out;
    REQUIRE(cafwire::serialize(out, prefix, xs) == ec::none);
    REQUIRE(cafwire::deserialize(out.bytes(), text, ys) == ec::none);
    CHECK(ys == xs);
  }
}

TEST_CASE("optionals, variants and pointers hold what comes from a factory") {
  using maybe = std::optional<account>;
  check_container(maybe{account{"a"}}, maybe{});
  check_container(maybe{account{"a"}}, maybe{account{"old"}});
  using either = std::variant<int8_t, account, account>;
  check_container(either{std::in_place_index<2>, account{"a"}}, either{});
  check_container(std::make_unique<account>("a"), std::make_unique<account>("old"));
  check_container(std::make_unique<account>("a"), std::unique_ptr<account>{});
  check_container(std::make_shared<account>("a"), std::shared_ptr<account>{});
  check_container(bank{"a"}, bank{"old"});
}

TEST_CASE("a factory goes before a default constructor") {
  std::vector<with_default> xs(2);
  CHECK(decode_into(xs, from_hex("01 05")) == ec::none);
  REQUIRE(xs.size() == 1);
  CHECK(xs[0].a == 5);
  CHECK(xs[0].origin == 2);
}

TEST_CASE("all containers hold elements that cannot be copied") {
  check_tokens<std::vector<token>>();
  check_tokens<std::deque<token>>();
  check_tokens<std::list<token>>();
  check_tokens<std::forward_list<token>>();
  check_tokens<std::set<token>>();
  check_tokens<std::multiset<token>>();
  check_tokens<std::unordered_set<token, hash>>();
  check_tokens<std::unordered_multiset<token, hash>>();
  check_tokens<std::stack<token>>();
  check_tokens<std::queue<token>>();
  check_tokens<std::priority_queue<token>>();
  auto make_map = []<class T>(T result) {
    result.emplace(token{1}, token{2});
    return result;
  };
  check_container(make_map(std::map<token, token>{}), std::map<token, token>{});
  check_container(make_map(std::multimap<token, token>{}), std::multimap<token, token>{});
  using hash_map = std::unordered_map<token, token, hash>;
  check_container(make_map(hash_map{}), make_map(hash_map{}));
  check_container(std::optional<token>{token{1}}, std::optional<token>{});
  using either = std::variant<int8_t, token>;
  check_container(either{token{1}}, either{});
  using pair = std::pair<token, token>;
  check_container(pair{token{1}, token{2}}, pair{});
  using tuple = std::tuple<token, std::unique_ptr<token>>;
  check_container(tuple{token{1}, std::make_unique<token>(int8_t{2})}, tuple{});
  check_container(std::array<token, 2>{token{1}, token{2}}, std::array<token, 2>{});
  check_container(std::make_shared<token>(int8_t{1}), std::shared_ptr<token>{});
}

TEST_CASE("keys that cannot be copied are still unique") {
  using map = std::map<token, int8_t>;
  CHECK(decode_code<map>(from_hex("02 01 05 01 06")) == ec::duplicate_key);
  CHECK(decode_code<map>(from_hex("02 02 05 01 06")) == ec::unordered_keys);
  CHECK(decode_code<std::multimap<token, int8_t>>(from_hex("02 01 05 01 06")) == ec::none);
  CHECK(decode_code<std::set<token>>(from_hex("02 01 01")) == ec::duplicate_key);
  using hash_map = std::unordered_map<token, int8_t, hash>;
  CHECK(decode_code<hash_map>(from_hex("02 01 05 01 06")) == ec::duplicate_key);
}
