// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// The types in the messages of these tests. A program that defines CAFWIRE_NET_TEST_OTHER_REGISTRY
// gets other type IDs for the same names, types of its own, and one type with other fields.

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/default_enum_inspect.hpp>
#include <caf/is_error_code_enum.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace net_test {

/// Fixed size, no padding.
struct point {
  int32_t x = 0;
  int32_t y = 0;
  int32_t z = 0;

  friend bool operator==(const point&, const point&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, point& what) {
  return f.object(what).fields(f.field("x", what.x), f.field("y", what.y), f.field("z", what.z));
}

/// Has the layout of a point, so that a mix-up of the two would not be noticed by their sizes.
struct color {
  int32_t red = 0;
  int32_t green = 0;
  int32_t blue = 0;

  friend bool operator==(const color&, const color&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, color& what) {
  return f.object(what).fields(f.field("red", what.red), f.field("green", what.green),
                               f.field("blue", what.blue));
}

/// Varying size.
struct chart {
  std::string name;
  std::vector<double> values;
  std::optional<point> origin;

  friend bool operator==(const chart&, const chart&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, chart& what) {
  return f.object(what).fields(f.field("name", what.name), f.field("values", what.values),
                               f.field("origin", what.origin));
}

/// Refused by its reader if negative.
struct positive {
  int32_t value = 0;
};

template <class Inspector>
bool inspect(Inspector& f, positive& what) {
  auto is_positive = [](int32_t x) { return x >= 0; };
  return f.object(what).fields(f.field("value", what.value).invariant(is_positive));
}

/// All kinds of handles.
struct handles {
  caf::actor one;
  std::optional<caf::actor> maybe;
  caf::actor_addr address;
  caf::strong_actor_ptr pointer;
  std::vector<caf::actor> many;
};

template <class Inspector>
bool inspect(Inspector& f, handles& what) {
  return f.object(what).fields(f.field("one", what.one), f.field("maybe", what.maybe),
                               f.field("address", what.address), f.field("pointer", what.pointer),
                               f.field("many", what.many));
}

/// Calls a function while it is written.
struct chatty {
  static inline std::function<void()> when_written;

  int32_t value = 0;
};

template <class Inspector>
bool inspect(Inspector& f, chatty& what) {
  if constexpr (!Inspector::is_loading)
    if (chatty::when_written)
      chatty::when_written();
  return f.object(what).fields(f.field("value", what.value));
}

/// Two programs may differ in the type of its field so much that nobody converts it.
struct changed {
#ifdef CAFWIRE_NET_TEST_OTHER_REGISTRY
  std::string first;
#else
  int32_t first = 0;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, changed& what) {
  return f.object(what).fields(f.field("first", what.first));
}

/// Two programs may have different versions of it.
struct evolved {
#ifdef CAFWIRE_NET_TEST_OTHER_REGISTRY
  double ratio = 2.5;
  int64_t id = 0;

  std::string rest() const {
    return std::to_string(ratio);
  }
#else
  int32_t id = 0;
  std::string note = "none";

  std::string rest() const {
    return note;
  }
#endif
};

template <class Inspector>
bool inspect(Inspector& f, evolved& what) {
#ifdef CAFWIRE_NET_TEST_OTHER_REGISTRY
  return f.object(what).fields(f.field("ratio", what.ratio), f.field("id", what.id));
#else
  return f.object(what).fields(f.field("id", what.id), f.field("note", what.note));
#endif
}

/// Known to programs without CAFWIRE_NET_TEST_OTHER_REGISTRY only.
struct only_here {
  int32_t value = 0;
};

template <class Inspector>
bool inspect(Inspector& f, only_here& what) {
  return f.object(what).fields(f.field("value", what.value));
}

/// Known to programs with CAFWIRE_NET_TEST_OTHER_REGISTRY only.
struct only_there {
  int32_t value = 0;
};

template <class Inspector>
bool inspect(Inspector& f, only_there& what) {
  return f.object(what).fields(f.field("value", what.value));
}

/// Known to CAF, but not to cafwire.
struct stranger {
  int32_t value = 0;
};

template <class Inspector>
bool inspect(Inspector& f, stranger& what) {
  return f.object(what).fields(f.field("value", what.value));
}

/// Error codes of an application.
enum class weather : uint8_t {
  fine = 0,
  rain = 1,
  snow = 2,
};

inline std::string to_string(weather x) {
  return x == weather::fine ? "fine" : x == weather::rain ? "rain" : "snow";
}

inline bool from_integer(uint8_t value, weather& x) {
  x = static_cast<weather>(value);
  return value <= 2;
}

template <class String>
bool from_string(const String& text, weather& x) {
  for (auto value : {weather::fine, weather::rain, weather::snow}) {
    if (String{to_string(value)} == text) {
      x = value;
      return true;
    }
  }
  return false;
}

template <class Inspector>
bool inspect(Inspector& f, weather& x) {
  return caf::default_enum_inspect(f, x);
}

/// Error codes that only programs with CAFWIRE_NET_TEST_OTHER_REGISTRY know.
enum class mood : uint8_t {
  good = 0,
  bad = 7,
};

inline std::string to_string(mood x) {
  return x == mood::good ? "good" : "bad";
}

inline bool from_integer(uint8_t value, mood& x) {
  x = static_cast<mood>(value);
  return value == 0 || value == 7;
}

template <class String>
bool from_string(const String& text, mood& x) {
  x = text == String{to_string(mood::good)} ? mood::good : mood::bad;
  return text == String{to_string(x)};
}

template <class Inspector>
bool inspect(Inspector& f, mood& x) {
  return caf::default_enum_inspect(f, x);
}

/// A statically typed actor.
using adder = caf::typed_actor<caf::result<int32_t>(caf::add_atom, int32_t, int32_t)>;

/// A statically typed actor that an `adder` can stand in for no more than the other way round.
using multiplier = caf::typed_actor<caf::result<int32_t>(caf::mul_atom, int32_t, int32_t)>;

} // namespace net_test

#ifdef CAFWIRE_NET_TEST_OTHER_REGISTRY

CAF_BEGIN_TYPE_ID_BLOCK(net_test, first_custom_type_id + 7)

  CAF_ADD_TYPE_ID(net_test, (net_test::only_there))
  CAF_ADD_TYPE_ID(net_test, (net_test::mood))
  CAF_ADD_TYPE_ID(net_test, (net_test::color))
  CAF_ADD_TYPE_ID(net_test, (net_test::point))
  CAF_ADD_TYPE_ID(net_test, (net_test::changed))
  CAF_ADD_TYPE_ID(net_test, (net_test::evolved))
  CAF_ADD_TYPE_ID(net_test, (net_test::chart))
  CAF_ADD_TYPE_ID(net_test, (net_test::positive))

CAF_END_TYPE_ID_BLOCK(net_test)

CAF_ERROR_CODE_ENUM(net_test::mood)

#else

CAF_BEGIN_TYPE_ID_BLOCK(net_test, first_custom_type_id)

  CAF_ADD_TYPE_ID(net_test, (net_test::point))
  CAF_ADD_TYPE_ID(net_test, (net_test::color))
  CAF_ADD_TYPE_ID(net_test, (net_test::chart))
  CAF_ADD_TYPE_ID(net_test, (net_test::positive))
  CAF_ADD_TYPE_ID(net_test, (net_test::handles))
  CAF_ADD_TYPE_ID(net_test, (net_test::chatty))
  CAF_ADD_TYPE_ID(net_test, (net_test::changed))
  CAF_ADD_TYPE_ID(net_test, (net_test::evolved))
  CAF_ADD_TYPE_ID(net_test, (net_test::only_here))
  CAF_ADD_TYPE_ID(net_test, (net_test::weather))
  CAF_ADD_TYPE_ID(net_test, (net_test::adder))
  CAF_ADD_TYPE_ID(net_test, (std::optional<caf::actor>) )
  CAF_ADD_TYPE_ID(net_test, (std::vector<caf::message>) )
  CAF_ADD_TYPE_ID(net_test, (std::vector<int32_t>) )

CAF_END_TYPE_ID_BLOCK(net_test)

CAF_BEGIN_TYPE_ID_BLOCK(net_test_strangers, first_custom_type_id + 100)

  CAF_ADD_TYPE_ID(net_test_strangers, (net_test::stranger))

CAF_END_TYPE_ID_BLOCK(net_test_strangers)

CAF_ERROR_CODE_ENUM(net_test::weather)

#endif
