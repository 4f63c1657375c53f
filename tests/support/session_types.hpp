// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Types that the tests of messages and sessions send to each other.

#include <cafwire/init_global_meta_objects.hpp>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/error.hpp>
#include <caf/is_error_code_enum.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace session_test {

/// Fixed size, one copy.
struct point {
  int32_t x = 0;
  int32_t y = 0;
  int32_t z = 0;

  friend bool operator==(const point&, const point&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, point& x) {
  return f.object(x).fields(f.field("x", x.x), f.field("y", x.y), f.field("z", x.z));
}

/// Stands for `point` in a program that gave the type another ID. Has no name of its own on any
/// wire.
struct renumbered_point {
  int32_t x = 0;
  int32_t y = 0;
  int32_t z = 0;

  friend bool operator==(const renumbered_point&, const renumbered_point&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, renumbered_point& x) {
  return f.object(x).fields(f.field("x", x.x), f.field("y", x.y), f.field("z", x.z));
}

/// Differs in size from value to value.
struct reading {
  std::string sensor;
  std::vector<double> values;

  friend bool operator==(const reading&, const reading&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, reading& x) {
  return f.object(x).fields(f.field("sensor", x.sensor), f.field("values", x.values));
}

/// Holds other types of the application.
struct track {
  std::string name;
  std::vector<point> points;

  friend bool operator==(const track&, const track&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, track& x) {
  return f.object(x).fields(f.field("name", x.name), f.field("points", x.points));
}

/// A long run, as soon as it has 32 elements.
struct samples {
  std::vector<double> values;

  friend bool operator==(const samples&, const samples&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, samples& x) {
  return f.object(x).fields(f.field("values", x.values));
}

/// Holds whatever it is given.
struct parcel {
  std::string label;
  caf::message content;
};

template <class Inspector>
bool inspect(Inspector& f, parcel& x) {
  return f.object(x).fields(f.field("label", x.label), f.field("content", x.content));
}

/// Says what its `inspect` overload does.
enum class mood : uint8_t {
  /// Works.
  good,
  /// Fails to save, without a reason.
  refuses_to_save,
  /// Fails to save, with an error.
  complains,
  /// Throws when saved.
  throws,
  /// Lets a member fail and says that all is well.
  hides_failure,
  /// Fails to load.
  refuses_to_load,
};

/// Fails in the way that it is told.
struct moody {
  mood state = mood::good;
  std::string text;

  friend bool operator==(const moody&, const moody&) = default;
};

/// Never leaves its process.
struct unsendable {
  template <class Inspector>
  friend bool inspect(Inspector&, unsendable&) {
    return false;
  }
};

template <class Inspector>
bool inspect(Inspector& f, moody& x) {
  auto state = static_cast<uint8_t>(x.state);
  if (!f.object(x).fields(f.field("state", state), f.field("text", x.text)))
    return false;
  x.state = static_cast<mood>(state);
  if constexpr (Inspector::is_loading) {
    return x.state != mood::refuses_to_load;
  } else {
    switch (x.state) {
      case mood::refuses_to_save:
        return false;
      case mood::complains:
        f.emplace_error(caf::sec::invalid_argument, "not today");
        return false;
      case mood::throws:
        throw std::runtime_error{"moody"};
      case mood::hides_failure: {
        unsendable member;
        std::ignore = f.apply(member);
        return true;
      }
      default:
        return true;
    }
  }
}

/// Its schema has no room in a definition.
struct verbose {
  int8_t value = 0;

  friend bool operator==(const verbose&, const verbose&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, verbose& x) {
  static const auto name = std::string(5000, 'v');
  return f.object(x).fields(f.field(name, x.value));
}

/// Counts its objects.
struct counted {
  counted() {
    ++alive;
  }

  counted(const counted& other) : value(other.value) {
    ++alive;
  }

  counted& operator=(const counted&) = default;

  ~counted() {
    --alive;
  }

  friend bool operator==(const counted& x, const counted& y) {
    return x.value == y.value;
  }

  static inline int alive = 0;

  uint32_t value = 0;
};

template <class Inspector>
bool inspect(Inspector& f, counted& x) {
  return f.object(x).fields(
    f.field("value", x.value).invariant([](uint32_t value) { return value < 1000; }));
}

/// An enum of the application that is no error code.
enum class color : uint8_t { red, green, blue };

template <class Inspector>
bool inspect(Inspector& f, color& x) {
  auto get = [&x] { return static_cast<uint8_t>(x); };
  auto set = [&x](uint8_t value) {
    if (value > static_cast<uint8_t>(color::blue))
      return false;
    x = static_cast<color>(value);
    return true;
  };
  return f.apply(get, set);
}

/// Error codes that cafwire knows.
enum class fault : uint8_t { none, overheated, jammed };

inline std::string to_string(fault x) {
  return x == fault::overheated ? "overheated" : x == fault::jammed ? "jammed" : "none";
}

template <class Inspector>
bool inspect(Inspector& f, fault& x) {
  return f.apply([&x] { return static_cast<uint8_t>(x); },
                 [&x](uint8_t value) {
                   x = static_cast<fault>(value);
                   return true;
                 });
}

/// Error codes that only CAF knows.
enum class private_fault : uint8_t { none, broken };

inline std::string to_string(private_fault x) {
  return x == private_fault::broken ? "broken" : "none";
}

template <class Inspector>
bool inspect(Inspector& f, private_fault& x) {
  return f.apply([&x] { return static_cast<uint8_t>(x); },
                 [&x](uint8_t value) {
                   x = static_cast<private_fault>(value);
                   return true;
                 });
}

/// Registered with CAF, not with cafwire.
struct caf_only {
  int32_t value = 0;

  friend bool operator==(const caf_only&, const caf_only&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, caf_only& x) {
  return f.object(x).fields(f.field("value", x.value));
}

/// Registered with nobody.
struct forgotten {
  int32_t value = 0;

  friend bool operator==(const forgotten&, const forgotten&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, forgotten& x) {
  return f.object(x).fields(f.field("value", x.value));
}

/// May be in messages, but not leave the process.
struct opaque {
  int* pointer = nullptr;
};

} // namespace session_test

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_session_test, 2000)

  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::point))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::reading))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::track))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::moody))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::verbose))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::counted))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::color))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::fault))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::opaque))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::samples))
  CAF_ADD_TYPE_ID(cafwire_session_test, (session_test::parcel))

CAF_END_TYPE_ID_BLOCK(cafwire_session_test)

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_session_test_caf_only, 2040)

  CAF_ADD_TYPE_ID(cafwire_session_test_caf_only, (session_test::caf_only))
  CAF_ADD_TYPE_ID(cafwire_session_test_caf_only, (session_test::private_fault))
  CAF_ADD_TYPE_ID(cafwire_session_test_caf_only, (session_test::renumbered_point))

CAF_END_TYPE_ID_BLOCK(cafwire_session_test_caf_only)

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_session_test_unregistered, 2050)

  CAF_ADD_TYPE_ID(cafwire_session_test_unregistered, (session_test::forgotten))

CAF_END_TYPE_ID_BLOCK(cafwire_session_test_unregistered)

CAF_ERROR_CODE_ENUM(session_test::fault)

CAF_ERROR_CODE_ENUM(session_test::private_fault)

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(session_test::opaque)

namespace session_test {

/// Registers the types. May be called more than once.
inline void register_types() {
  caf::core::init_global_meta_objects();
  if (cafwire::compat::meta_object_of(caf::id_block::cafwire_session_test_caf_only::begin)
      == nullptr)
    caf::init_global_meta_objects<caf::id_block::cafwire_session_test_caf_only>();
  cafwire::init_global_meta_objects<caf::id_block::cafwire_session_test>();
}

} // namespace session_test
