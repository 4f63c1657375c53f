// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstdint>
#include <memory>

namespace cafwire {

class buffer_pool;
class deserializer;
class deserializer_session;
class handle_codec;
class input_cursor;
class known_types;
class output_buffer;
class serializer;
class serializer_session;

struct limits;
struct raw_message;
struct raw_type;
struct shared_bytes;

template <class T>
class array_view;

enum class ec : uint8_t;

namespace detail {

class type_converter;

} // namespace detail

namespace evolution {

class plan;

} // namespace evolution

using known_types_ptr = std::shared_ptr<const known_types>;

/// Encodes one family of types. Specializations live in `cafwire/inspect/formatter/`.
template <class T>
struct formatter;

} // namespace cafwire
