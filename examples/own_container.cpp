// This file is part of cafwire. See the file LICENSE for license terms.

// Teaches cafwire a container of the application: a ring that keeps the last elements. It has the
// encoding of a vector, so a reader may also use a vector.

#include <cafwire/all.hpp>
#include <cafwire/encoded_access.hpp>
#include <cafwire/inspect/sequence_io.hpp>

#include <caf/actor_system.hpp>
#include <caf/message.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

/// Keeps the last `N` elements.
template <class T, size_t N>
class ring {
public:
  size_t size() const {
    return size_;
  }

  /// Returns the element at `index`, the oldest one first.
  const T& operator[](size_t index) const {
    return items_[(first_ + index) % N];
  }

  void push(T x) {
    items_[(first_ + size_) % N] = std::move(x);
    if (size_ < N)
      ++size_;
    else
      first_ = (first_ + 1) % N;
  }

  void clear() {
    first_ = 0;
    size_ = 0;
  }

private:
  T items_[N] = {};
  size_t first_ = 0;
  size_t size_ = 0;
};

/// How a ring looks on the wire. This is all that cafwire needs.
template <class T, size_t N>
struct cafwire::formatter<ring<T, N>> {
  /// The least number of bytes that a value takes: here the length.
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const ring<T, N>& xs) {
    if (!f.varint(xs.size()) || !f.align_run(xs.size() * layout::fixed_size_of<T>()))
      return false;
    for (size_t i = 0; i < xs.size(); ++i)
      if (!f.apply(xs[i]))
        return false;
    return true;
  }

  static bool load(deserializer& f, ring<T, N>& xs) {
    // Checks the length against the input and the limits, and counts the depth.
    return load_sequence<T>(
      f, [&](size_t) { xs.clear(); },
      [&] {
        T x{};
        if (!f.apply(x))
          return false;
        xs.push(std::move(x));
        return true;
      });
  }

  /// Describes the encoding: equal schemas mean equal bytes.
  static void schema(layout::schema_builder& f) {
    f.varying_of<T>("seq", 1);
  }
};

using recent_words = ring<std::string, 3>;

/// Only needed for rings inside of `caf::message`: CAF registers its own inspectors for those.
template <>
struct caf::inspector_access<recent_words> : cafwire::encoded_access<recent_words> {};

CAF_BEGIN_TYPE_ID_BLOCK(own_container, first_custom_type_id)
  CAF_ADD_TYPE_ID(own_container, (recent_words))
CAF_END_TYPE_ID_BLOCK(own_container)

int caf_main(caf::actor_system&) {
  recent_words words;
  for (auto word : {"one", "two", "three", "four"})
    words.push(word);
  // As an element of a message, in a stream of messages.
  cafwire::serializer_session writer;
  cafwire::output_buffer out;
  if (writer.write_message(out, caf::make_message(words)) != cafwire::ec::none)
    return 1;
  cafwire::deserializer_session reader;
  cafwire::input_cursor in{out.bytes()};
  caf::message msg;
  if (reader.read_message(in, msg) != cafwire::ec::none || !msg.match_elements<recent_words>())
    return 1;
  auto& received = msg.get_as<recent_words>(0);
  for (size_t i = 0; i < received.size(); ++i)
    std::cout << received[i] << '\n';
  // The bytes are those of a vector.
  out.clear();
  std::vector<std::string> vector;
  if (cafwire::serialize(out, words) != cafwire::ec::none
      || cafwire::deserialize(out.bytes(), vector) != cafwire::ec::none)
    return 1;
  return vector == std::vector<std::string>{"two", "three", "four"} ? 0 : 1;
}

CAFWIRE_MAIN(caf::id_block::own_container)
