// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "hand_codec.hpp"
#include "messages.hpp"

#include <cafwire/wire/output_buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cafwire::bench {

// More of the contender `hand`: containers. Writing asks for room once per element; reading checks
// all that cafwire checks. Short strings are copied without calls, and maps take their old nodes
// and strings again.

namespace hand_detail {

/// Copies bytes; up to 32 of them as two blocks that may overlap.
inline void copy_some(std::byte* to, const void* from, size_t n) noexcept {
  auto* source = static_cast<const std::byte*>(from);
  auto both_ends = [&](auto block) {
    auto tail = block;
    std::memcpy(&block, source, sizeof block);
    std::memcpy(&tail, source + n - sizeof tail, sizeof tail);
    std::memcpy(to, &block, sizeof block);
    std::memcpy(to + n - sizeof tail, &tail, sizeof tail);
  };
  struct block16 {
    uint64_t words[2];
  };
  if (n > 32)
    std::memcpy(to, source, n);
  else if (n >= 16)
    both_ends(block16{});
  else if (n >= 8)
    both_ends(uint64_t{});
  else if (n >= 4)
    both_ends(uint32_t{});
  else if (n >= 2)
    both_ends(uint16_t{});
  else if (n == 1)
    *to = *source;
}

/// A position in the output with the start of the message, from where alignment counts.
struct writer {
  std::byte* pos;
  const std::byte* start;

  void align() noexcept {
    auto over = static_cast<size_t>(pos - start) % run_alignment;
    std::memset(pos, 0, run_alignment);
    pos += over == 0 ? 0 : run_alignment - over;
  }

  template <class T>
  void sequence(const T* xs, size_t n) noexcept {
    pos = put_length(pos, n);
    if (n * sizeof(T) >= long_run_bytes)
      align();
    copy_some(pos, xs, n * sizeof(T));
    pos += n * sizeof(T);
  }

  void string(const std::string& x) noexcept {
    sequence(x.data(), x.size());
  }
};

/// The most that a sequence with `n` bytes takes.
constexpr size_t room_for(size_t n) noexcept {
  return 10 + run_alignment + n;
}

/// Appends a message element by element.
template <class Container, class Bound, class Put>
bool save_elements(output_buffer& out, const Container& xs, Bound bound, Put put_one) noexcept {
  if (!out.reserve_more(10 + run_alignment))
    return false;
  auto offset = out.size();
  writer w{out.data() + offset, out.data() + offset};
  auto* end = out.data() + out.capacity();
  w.pos = put_length(w.pos, xs.size());
  for (auto& x : xs) {
    auto need = bound(x);
    if (need > static_cast<size_t>(end - w.pos)) {
      out.set_size(static_cast<size_t>(w.pos - out.data()));
      if (!out.reserve_more(need))
        return false;
      w = {out.data() + out.size(), out.data() + offset};
      end = out.data() + out.capacity();
    }
    put_one(w, x);
  }
  out.set_size(static_cast<size_t>(w.pos - out.data()));
  return true;
}

/// A position in the input.
struct reader {
  const std::byte* pos;
  const std::byte* end;
  const std::byte* start;

  explicit reader(std::span<const std::byte> in) noexcept
    : pos(in.data()), end(in.data() + in.size()), start(in.data()) {
    // nop
  }

  size_t left() const noexcept {
    return static_cast<size_t>(end - pos);
  }

  template <class T>
  bool number(T& x) noexcept {
    if (left() < sizeof(T))
      return false;
    pos = get(pos, x);
    return true;
  }

  /// @param element_size the least that an element takes.
  bool count(size_t& n, size_t element_size) noexcept {
    auto* next = get_length(pos, end, n);
    if (next == nullptr || n > static_cast<size_t>(end - next) / element_size)
      return false;
    pos = next;
    return true;
  }

  bool align(size_t num_bytes) noexcept {
    if (num_bytes < long_run_bytes)
      return true;
    auto over = static_cast<size_t>(pos - start) % run_alignment;
    if (over == 0)
      return true;
    if (left() < run_alignment - over || !is_padded(pos - over, over))
      return false;
    pos += run_alignment - over;
    return num_bytes <= left();
  }

  bool string(std::string& x) {
    size_t n = 0;
    if (!count(n, 1) || !align(n))
      return false;
    assign(x, pos, n);
    pos += n;
    return true;
  }

  /// Skips a string that is equal to an old one.
  bool same_string(const std::string& old) noexcept {
    auto* before = pos;
    size_t n = 0;
    if (count(n, 1) && align(n) && n == old.size() && std::memcmp(pos, old.data(), n) == 0) {
      pos += n;
      return true;
    }
    pos = before;
    return false;
  }

  /// Calls the library only for strings that get longer.
  static void assign(std::string& x, const std::byte* text, size_t n) {
    if (n > x.size()) {
      x.assign(reinterpret_cast<const char*>(text), n);
      return;
    }
    if (n < x.size())
      x.resize(n);
    copy_some(reinterpret_cast<std::byte*>(x.data()), text, n);
  }
};

/// Reads `n` more entries into a map that takes the nodes of another one.
template <class Map, class ReadEntry, class Insert, class InsertNew>
bool load_nodes(Map& old, Map& xs, size_t n, ReadEntry read_entry, Insert insert,
                InsertNew insert_new) {
  for (size_t i = 0; i < n; ++i) {
    if (!old.empty()) {
      auto node = old.extract(old.begin());
      if (!read_entry(node.key(), node.mapped()) || !insert(xs, std::move(node)))
        return false;
    } else {
      typename Map::key_type key;
      typename Map::mapped_type value;
      if (!read_entry(key, value))
        return false;
      if (!insert_new(xs, std::move(key), value))
        return false;
    }
  }
  return true;
}

} // namespace hand_detail

struct hand_containers {
  using strings = std::vector<std::string>;

  using string_map = std::unordered_map<std::string, double>;

  static bool save(output_buffer& out, const strings& xs) noexcept {
    return hand_detail::save_elements(
      out, xs, [](auto& x) { return hand_detail::room_for(x.size()); },
      [](hand_detail::writer& w, auto& x) { w.string(x); });
  }

  static bool load(std::span<const std::byte> in, strings& xs) {
    hand_detail::reader r{in};
    size_t n = 0;
    if (!r.count(n, 1))
      return false;
    xs.resize(n);
    for (auto& x : xs)
      if (!r.string(x))
        return false;
    return r.left() == 0;
  }

  static bool save(output_buffer& out, const string_map& xs) noexcept {
    return hand_detail::save_elements(
      out, xs, [](auto& x) { return hand_detail::room_for(x.first.size()) + sizeof(double); },
      [](hand_detail::writer& w, auto& x) {
        w.string(x.first);
        w.pos = hand_detail::put(w.pos, x.second);
      });
  }

  static bool load(std::span<const std::byte> in, string_map& xs) {
    hand_detail::reader r{in};
    size_t n = 0;
    if (!r.count(n, 1 + sizeof(double)))
      return false;
    string_map old;
    old.swap(xs);
    xs.reserve(n);
    return hand_detail::load_nodes(
             old, xs, n, [&](auto& key, auto& value) { return r.string(key) && r.number(value); },
             [](string_map& map, auto&& node) { return map.insert(std::move(node)).inserted; },
             [](string_map& map, auto&& key, auto value) {
               return map.emplace(std::move(key), value).second;
             })
           && r.left() == 0;
  }

  static bool save(output_buffer& out, const std::vector<bool>& xs) noexcept {
    auto n = xs.size();
    if (!out.reserve_more(10 + n / 8 + 1))
      return false;
    auto* pos = hand_detail::put_length(out.data() + out.size(), n);
    auto i = xs.begin();
    for (; n >= 64; n -= 64) {
      uint64_t word = 0;
      for (unsigned bit = 0; bit < 64; ++bit)
        word |= static_cast<uint64_t>(*i++) << bit;
      pos = hand_detail::put(pos, word);
    }
    for (; n > 0; n -= n < 8 ? n : 8) {
      auto byte = 0u;
      for (unsigned bit = 0; bit < 8 && bit < n; ++bit)
        byte |= static_cast<unsigned>(*i++) << bit;
      *pos++ = static_cast<std::byte>(byte);
    }
    out.set_size(static_cast<size_t>(pos - out.data()));
    return true;
  }

  static bool load(std::span<const std::byte> in, std::vector<bool>& xs) {
    hand_detail::reader r{in};
    size_t n = 0;
    auto* pos = hand_detail::get_length(r.pos, r.end, n);
    if (pos == nullptr || n / 8 + (n % 8 != 0) != static_cast<size_t>(r.end - pos))
      return false;
    if (n % 8 != 0 && (static_cast<unsigned>(r.end[-1]) >> (n % 8)) != 0)
      return false;
    xs.resize(n);
    auto i = xs.begin();
    for (size_t index = 0; index < n; ++index)
      *i++ = (static_cast<unsigned>(pos[index / 8]) >> (index % 8) & 1) != 0;
    return true;
  }

  static bool save(output_buffer& out, const std::deque<int32_t>& xs) noexcept {
    auto num_bytes = xs.size() * sizeof(int32_t);
    if (!out.reserve_more(hand_detail::room_for(num_bytes)))
      return false;
    auto* start = out.data() + out.size();
    hand_detail::writer w{hand_detail::put_length(start, xs.size()), start};
    if (num_bytes >= hand_detail::long_run_bytes)
      w.align();
    // Block by block: the standard library knows where they end. Messages start on a multiple of
    // 16 here, and so do long runs.
    if (reinterpret_cast<uintptr_t>(w.pos) % alignof(int32_t) == 0) {
      std::copy(xs.begin(), xs.end(), reinterpret_cast<int32_t*>(w.pos));
      w.pos += num_bytes;
    } else {
      for (auto x : xs)
        w.pos = hand_detail::put(w.pos, x);
    }
    out.set_size(static_cast<size_t>(w.pos - out.data()));
    return true;
  }

  static bool load(std::span<const std::byte> in, std::deque<int32_t>& xs) {
    hand_detail::reader r{in};
    size_t n = 0;
    if (!r.count(n, sizeof(int32_t)) || !r.align(n * sizeof(int32_t))
        || r.left() != n * sizeof(int32_t))
      return false;
    if (reinterpret_cast<uintptr_t>(r.pos) % alignof(int32_t) == 0) {
      auto* first = reinterpret_cast<const int32_t*>(r.pos);
      xs.assign(first, first + n);
    } else {
      xs.resize(n);
      for (auto& x : xs)
        r.pos = hand_detail::get(r.pos, x);
    }
    return true;
  }

  static bool save(output_buffer& out, const object_vector& xs) noexcept {
    return hand_detail::save_elements(out, xs, object_bound, put_object);
  }

  static bool load(std::span<const std::byte> in, object_vector& xs) {
    hand_detail::reader r{in};
    size_t n = 0;
    if (!r.count(n, 29))
      return false;
    xs.resize(n);
    for (auto& x : xs)
      if (!load_object(r, x))
        return false;
    return r.left() == 0;
  }

private:
  static size_t object_bound(const object& x) noexcept {
    using hand_detail::room_for;
    auto result = 8 + room_for(x.name.size()) + 8 + room_for(x.numbers.size() * sizeof(int32_t)) + 1
                  + (x.note ? room_for(x.note->size()) : 0) + 10 + 1;
    for (auto& [key, value] : x.tags)
      result += room_for(key.size()) + sizeof value;
    return result;
  }

  static void put_object(hand_detail::writer& w, const object& x) noexcept {
    w.pos = hand_detail::put(w.pos, x.id);
    w.string(x.name);
    w.pos = hand_detail::put(w.pos, x.weight);
    w.sequence(x.numbers.data(), x.numbers.size());
    *w.pos++ = x.note ? std::byte{1} : std::byte{0};
    if (x.note)
      w.string(*x.note);
    w.pos = hand_detail::put_length(w.pos, x.tags.size());
    for (auto& [key, value] : x.tags) {
      w.string(key);
      w.pos = hand_detail::put(w.pos, value);
    }
    w.pos = hand_detail::put(w.pos, x.paint);
  }

  static bool load_object(hand_detail::reader& r, object& x) {
    size_t n = 0;
    if (!r.number(x.id) || !r.string(x.name) || !r.number(x.weight) || !r.count(n, sizeof(int32_t))
        || !r.align(n * sizeof(int32_t)))
      return false;
    x.numbers.resize(n);
    if (n > 0)
      std::memcpy(x.numbers.data(), r.pos, n * sizeof(int32_t));
    r.pos += n * sizeof(int32_t);
    uint8_t flag = 0;
    if (!r.number(flag) || flag > 1)
      return false;
    if (flag == 0)
      x.note.reset();
    else if (!x.note)
      x.note.emplace();
    if (flag == 1 && !r.string(*x.note))
      return false;
    // As long as the keys are the old ones, only values change.
    auto old_size = x.tags.size();
    if (!r.count(n, 1 + sizeof(int32_t)))
      return false;
    auto tag = x.tags.begin();
    size_t same = 0;
    for (; same < n && same < old_size && r.same_string(tag->first); ++same, ++tag)
      if (!r.number(tag->second))
        return false;
    if (same == n) {
      x.tags.erase(tag, x.tags.end());
      return load_paint(r, x);
    }
    std::map<std::string, int32_t> old;
    while (tag != x.tags.end())
      old.insert(old.end(), x.tags.extract(tag++));
    auto read_entry = [&r](auto& key, auto& value) { return r.string(key) && r.number(value); };
    auto ascends = [](auto& map, auto& key) {
      return map.empty() || std::prev(map.end())->first < key;
    };
    auto insert = [&](auto& map, auto&& node) {
      if (!ascends(map, node.key()))
        return false;
      map.insert(map.end(), std::move(node));
      return true;
    };
    auto insert_new = [&](auto& map, auto&& key, auto value) {
      if (!ascends(map, key))
        return false;
      map.emplace_hint(map.end(), std::move(key), value);
      return true;
    };
    return hand_detail::load_nodes(old, x.tags, n - same, read_entry, insert, insert_new)
           && load_paint(r, x);
  }

  static bool load_paint(hand_detail::reader& r, object& x) {
    uint8_t paint = 0;
    if (!r.number(paint) || paint > static_cast<uint8_t>(color::blue))
      return false;
    x.paint = static_cast<color>(paint);
    return true;
  }
};

} // namespace cafwire::bench
