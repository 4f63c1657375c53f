// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/message.hpp"

#include "cafwire/message/known_types.hpp"
#include "cafwire/message/message_codec.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cafwire {

namespace {

/// Writes a type outside of the tables of a session: its slot in the format, or 0, its name and its
/// fingerprint.
bool save_type(serializer& f, const message_type& type) {
  return type.core_slot != 0 ? f.varint(type.core_slot)
                             : f.varint(0) && f.string(type.name.data(), type.name.size())
                                 && f.apply(type.schema().fingerprint);
}

/// Reads a type. Leaves `type` empty and puts the name into `name` if it is not known here. A type
/// that differs from the one of that name here is an error.
bool load_type(deserializer& f, const known_types& types, const message_type*& type,
               std::string& name) {
  uint64_t slot = 0;
  type = nullptr;
  name.clear();
  if (!f.varint(slot))
    return false;
  if (slot == 0) {
    uint64_t fingerprint = 0;
    if (!f.apply(name) || !f.apply(fingerprint))
      return false;
    type = types.find(name);
    return type == nullptr || type->schema().fingerprint == fingerprint
           || f.fail(ec::schema_mismatch, std::move(name));
  }
  auto core = detail::core_types();
  if (slot < core.size())
    type = core[static_cast<size_t>(slot)];
  else
    name = "slot " + std::to_string(slot);
  return true;
}

/// Keeps the registry alive while it is used.
class types_of {
public:
  template <class Inspector>
  explicit types_of(const Inspector& f)
    : owned_(f.types() == nullptr ? known_types::global() : nullptr),
      types_(f.types() != nullptr ? f.types() : owned_.get()) {
    // nop
  }

  const known_types& operator*() const noexcept {
    return *types_;
  }

private:
  known_types_ptr owned_;
  const known_types* types_;
};

} // namespace

bool formatter<caf::message>::save(serializer& f, const caf::message& x) {
  auto ids = x.types();
  if (!f.varint(ids.size()))
    return false;
  auto registry = types_of{f};
  std::vector<const message_type*> types;
  types.reserve(ids.size());
  for (auto id : ids) {
    auto* type = (*registry).find(id);
    if (type == nullptr)
      return f.fail(ec::unregistered_type, std::string{compat::type_name(id)});
    if (!save_type(f, *type))
      return false;
    types.push_back(type);
  }
  return save_elements(f, types, x);
}

bool formatter<caf::message>::load(deserializer& f, caf::message& x) {
  size_t n = 0;
  // Each type takes a byte at least.
  if (!f.enter() || !f.count(n, 1))
    return false;
  auto registry = types_of{f};
  std::vector<const message_type*> types;
  size_t storage_size = 0;
  for (size_t i = 0; i < n; ++i) {
    const message_type* type = nullptr;
    std::string name;
    if (!load_type(f, *registry, type, name))
      return false;
    if (type == nullptr)
      return f.fail(ec::unknown_type, std::move(name));
    types.push_back(type);
    storage_size += type->padded_size;
  }
  if (n > UINT16_MAX) // CAF counts elements with 16 bits
    return f.fail(ec::memory_limit);
  return f.charge(storage_size) && load_elements(f, make_message_layout(std::move(types)), x)
         && f.leave();
}

bool formatter<caf::error>::save(serializer& f, const caf::error& x) {
  if (x.empty())
    return f.byte(0);
  auto* type = (*types_of{f}).find(x.category());
  if (type == nullptr)
    return f.fail(ec::unregistered_type, std::string{compat::type_name(x.category())});
  return f.byte(x.code()) && save_type(f, *type) && f.apply(x.context());
}

bool formatter<caf::error>::load(deserializer& f, caf::error& x) {
  auto code = uint8_t{0};
  x = caf::error{};
  if (!f.byte(code))
    return false;
  if (code == 0)
    return true;
  const message_type* type = nullptr;
  std::string name;
  caf::message context;
  if (!load_type(f, *types_of{f}, type, name) || !f.apply(context))
    return false;
  if (type != nullptr && !type->is_error_code)
    return f.fail(ec::invalid_tag, std::string{type->name} + " is no enum of error codes");
  if (type == nullptr)
    x = make_error_with_text(ec::foreign_error, name + '(' + std::to_string(code) + ')');
  else
    x = compat::make_error(code, type->id, std::move(context));
  return true;
}

} // namespace cafwire
