// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Types with fields that are not simply there: getters and setters, callbacks, fields that may be
// absent, and encodings whose size depends on the value.

#include "support/cases/judged.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace test::cases {

struct get_and_set {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, get_and_set& x) {
  auto get = [&x] { return x.b; };
  auto set = [&x](int32_t y) { x.b = y; };
  return f.object(x).fields(f.field("a", x.a), f.field("b", get, set));
}

/// The getter gives a reference, the setter changes the value: only writing may copy.
struct masking_setter {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, masking_setter& x) {
  auto get = [&x]() -> const int32_t& { return x.b; };
  auto set = [&x](int32_t y) {
    x.b = y & 0xff;
    return true;
  };
  return f.object(x).fields(f.field("a", x.a), f.field("b", get, set));
}

/// The setter refuses some values, and says why.
struct refusing_setter {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, refusing_setter& x) {
  auto get = [&x] { return x.b; };
  auto set = [&x](int32_t y) -> caf::error {
    if (y == 13)
      return caf::sec::invalid_argument;
    x.b = y;
    return {};
  };
  return f.object(x).fields(f.field("a", x.a), f.field("b", get, set));
}

/// The whole object is one number behind a getter and a setter.
struct opaque_number {
  int32_t value;
};

template <class Inspector>
bool inspect(Inspector& f, opaque_number& x) {
  return f.apply([&x] { return x.value; }, [&x](int32_t y) { x.value = y; });
}

/// Bit fields as one word.
struct bit_word {
  uint32_t a : 8, b : 24;
};

template <class Inspector>
bool inspect(Inspector& f, bit_word& x) {
  auto get = [&x] { return std::bit_cast<uint32_t>(x); };
  auto set = [&x](uint32_t y) { x = std::bit_cast<bit_word>(y); };
  return f.object(x).fields(f.field("word", get, set));
}

#pragma pack(push, 1)
/// References to packed members do not exist, so the number needs a getter.
struct packed_number {
  char tag;
  int32_t number;
};
#pragma pack(pop)

template <class Inspector>
bool inspect(Inspector& f, packed_number& x) {
  auto get = [&x] { return x.number; };
  auto set = [&x](int32_t y) { x.number = y; };
  return f.object(x).fields(f.field("tag", x.tag), f.field("number", get, set));
}

/// An enum that is written with another type than its own.
enum class narrow : int32_t {
  one,
  two,
};

template <class Inspector>
bool inspect(Inspector& f, narrow& x) {
  auto get = [&x] { return static_cast<uint8_t>(x); };
  auto set = [&x](uint8_t y) {
    x = static_cast<narrow>(y);
    return y < 2;
  };
  return f.apply(get, set);
}

struct with_narrow {
  narrow n;
  int32_t a;
};

template <class Inspector>
bool inspect(Inspector& f, with_narrow& x) {
  return f.object(x).fields(f.field("n", x.n), f.field("a", x.a));
}

struct with_fallback {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, with_fallback& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b).fallback(3));
}

struct with_computed_fallback {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, with_computed_fallback& x) {
  auto get = [&x] { return x.b; };
  auto set = [&x](int32_t y) { x.b = y; };
  return f.object(x).fields(f.field("a", x.a), f.field("b", get, set).fallback(3));
}

/// A field that exists only if a flag of the object says so.
struct maybe_b {
  int32_t a = 0;
  bool has_b = false;
  int32_t b = 0;
};

template <class Inspector>
bool inspect(Inspector& f, maybe_b& x) {
  auto is_present = [&x] { return x.has_b; };
  auto get = [&x] { return x.b; };
  auto reset = [&x] {
    x.has_b = false;
    x.b = 0;
  };
  auto set = [&x](int32_t y) {
    x.has_b = true;
    x.b = y;
    return true;
  };
  return f.object(x).fields(f.field("a", x.a), f.field("b", is_present, get, reset, set));
}

struct with_optional {
  int32_t a;
  std::optional<int32_t> b;
};

template <class Inspector>
bool inspect(Inspector& f, with_optional& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

struct with_variant {
  std::variant<int32_t, double> v;
};

template <class Inspector>
bool inspect(Inspector& f, with_variant& x) {
  return f.object(x).fields(f.field("v", x.v));
}

struct with_containers {
  std::string name;
  std::vector<int32_t> numbers;
  std::vector<bool> bits;
  std::u16string wide;
};

template <class Inspector>
bool inspect(Inspector& f, with_containers& x) {
  return f.object(x).fields(f.field("name", x.name), f.field("numbers", x.numbers),
                            f.field("bits", x.bits), f.field("wide", x.wide));
}

struct with_save_callback {
  int32_t a, b;

  static inline int calls = 0;
};

template <class Inspector>
bool inspect(Inspector& f, with_save_callback& x) {
  auto callback = [] {
    ++with_save_callback::calls;
    return true;
  };
  return f.object(x).on_save(callback).fields(f.field("a", x.a), f.field("b", x.b));
}

struct with_load_callback {
  int32_t a, b;

  static inline int calls = 0;
};

template <class Inspector>
bool inspect(Inspector& f, with_load_callback& x) {
  auto callback = [&x] {
    ++with_load_callback::calls;
    return x.a != 13;
  };
  return f.object(x).on_load(callback).fields(f.field("a", x.a), f.field("b", x.b));
}

/// Kind 1 is shorter than the others.
struct short_kind {
  int32_t kind;
  int32_t number;
};

template <class Inspector>
bool inspect(Inspector& f, short_kind& x) {
  if (!f.apply(x.kind))
    return false;
  if (x.kind != 1)
    return f.apply(x.number);
  auto number = static_cast<int16_t>(x.number);
  auto ok = f.apply(number);
  if constexpr (Inspector::is_loading)
    x.number = number;
  return ok;
}

/// The same, but the kind is a number that no probe tries.
struct rare_short_kind {
  static constexpr int32_t rare = 0x52415245;

  int32_t kind;
  int32_t number;
};

template <class Inspector>
bool inspect(Inspector& f, rare_short_kind& x) {
  if (!f.apply(x.kind))
    return false;
  if (x.kind != rare_short_kind::rare)
    return f.apply(x.number);
  auto number = static_cast<int16_t>(x.number);
  auto ok = f.apply(number);
  if constexpr (Inspector::is_loading)
    x.number = number;
  return ok;
}

/// A member that is never written decides what is.
struct hidden_switch {
  int32_t a = 0;
  int32_t b = 0;
  int8_t has_b = 1;
};

template <class Inspector>
bool inspect(Inspector& f, hidden_switch& x) {
  if (x.has_b != 0)
    return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
  return f.object(x).fields(f.field("a", x.a));
}

} // namespace test::cases
