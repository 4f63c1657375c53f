// This file is part of cafwire. See the file LICENSE for license terms.

#include "remote/payload.hpp"

#include "caf_api.hpp"
#include "messages.hpp"
#include "remote/accelerated.hpp"

#include <cafwire/codec.hpp>
#include <cafwire/message/known_types.hpp>
#include <cafwire/session/serializer_session.hpp>

#include <caf/byte_buffer.hpp>

#include <stdexcept>

namespace cafwire::bench {

payload::~payload() {
  // nop
}

namespace {

/// Returns the size of a value in the canonical encoding.
template <class T>
size_t encoded_size(const T& value) {
  output_buffer out;
  if (serialize(out, value) != ec::none)
    throw std::runtime_error{"cannot encode a payload"};
  return out.size();
}

/// Returns a message as a session writes it that has nothing to define any more.
template <class T>
std::vector<std::byte> encode_message(const T& value) {
  session_options options;
  options.peer_registry_hash = known_types::global()->hash();
  serializer_session session{known_types::global(), options};
  output_buffer out;
  for (auto i = 0; i < 2; ++i) {
    out.clear();
    if (session.write(out, value) != ec::none)
      throw std::runtime_error{"cannot encode a payload"};
  }
  return {out.data(), out.data() + out.size()};
}

/// Creates a new message for every send, as an application that streams small records does.
template <class T>
class small_payload : public payload {
public:
  explicit small_payload(size_t window) : payload("struct12", window, encoded_size(T{})) {
    // nop
  }

  void send_to(const caf::actor& receiver, size_t i) const override {
    send_anonymously(receiver, T{static_cast<int32_t>(i), -1, static_cast<int32_t>(i % cycle)});
  }

  std::vector<std::byte> wire_image() const override {
    return encode_message(T{});
  }
};

/// Sends the same few messages in turn: creating large values is not what the benchmark is about.
template <class T>
class large_payload : public payload {
public:
  /// @param number sets the last element of a value to the number of a message.
  template <class Number>
  large_payload(std::string name, size_t window, T value, Number number)
    : payload(std::move(name), window, encoded_size(value)), image_(encode_message(value)) {
    for (size_t i = 0; i < cycle; ++i) {
      number(value, i);
      messages_.push_back(caf::make_message(value));
    }
  }

  void send_to(const caf::actor& receiver, size_t i) const override {
    send_anonymously(receiver, messages_[i % cycle]);
  }

  std::vector<std::byte> wire_image() const override {
    return image_;
  }

private:
  std::vector<std::byte> image_;
  std::vector<caf::message> messages_;
};

template <class Matrix>
payload_ptr make_matrix_payload(size_t n, size_t window) {
  std::vector<Matrix> value;
  value.reserve(n);
  for (auto& x : make_matrices(n))
    value.push_back(Matrix{x.values});
  return std::make_shared<large_payload<std::vector<Matrix>>>(
    "matrix4x4_" + std::to_string(n), window, std::move(value),
    [](std::vector<Matrix>& xs, size_t i) { xs.back().values.back() = static_cast<float>(i); });
}

/// Adds the payloads that exist with and without the accelerator.
template <class Struct12, class Matrix>
void add_plain_payloads(std::vector<payload_ptr>& result) {
  // Windows: small messages are limited by number, large ones to about 16 MiB (32 MiB for the
  // largest) in flight.
  result.push_back(std::make_shared<small_payload<Struct12>>(16384));
  result.push_back(make_matrix_payload<Matrix>(1, 16384));
  result.push_back(make_matrix_payload<Matrix>(64, 4096));
  result.push_back(make_matrix_payload<Matrix>(1024, 256));
  result.push_back(make_matrix_payload<Matrix>(65536, 8));
}

} // namespace

std::vector<payload_ptr> make_payloads() {
  std::vector<payload_ptr> result;
  add_plain_payloads<struct12, matrix4x4>(result);
  result.push_back(std::make_shared<large_payload<object_vector>>(
    "objects", 1024, make_objects(100),
    [](object_vector& xs, size_t i) { xs.back().id = static_cast<uint64_t>(i); }));
  using byte = caf::byte_buffer::value_type;
  result.push_back(std::make_shared<large_payload<caf::byte_buffer>>(
    "bytes_1M", 16, caf::byte_buffer(size_t{1} << 20, byte{42}),
    [](caf::byte_buffer& xs, size_t i) { xs.back() = static_cast<byte>(i); }));
  return result;
}

std::vector<payload_ptr> make_accelerated_payloads() {
  std::vector<payload_ptr> result;
  add_plain_payloads<fast_struct12, fast_matrix4x4>(result);
  return result;
}

} // namespace cafwire::bench
