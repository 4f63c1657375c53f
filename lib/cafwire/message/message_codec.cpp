// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/message/message_codec.hpp"

#include <utility>

namespace cafwire {

message_layout make_message_layout(std::vector<const message_type*> types) {
  auto result = message_layout{};
  if (types.size() == 1) {
    result.ids = caf::type_id_list{types.front()->only_this};
    result.storage_size = types.front()->padded_size;
  } else {
    std::vector<caf::type_id_t> ids;
    ids.reserve(types.size());
    for (auto* type : types) {
      ids.push_back(type->id);
      result.storage_size += type->padded_size;
    }
    result.ids = compat::intern(ids);
  }
  result.types = std::move(types);
  return result;
}

bool load_elements(deserializer& f, const message_layout& layout, caf::message& msg) {
  if (layout.types.empty()) {
    msg = caf::message{};
    return true;
  }
  auto data = compat::make_message_data(layout.ids, layout.storage_size);
  if (data == nullptr)
    return f.fail(ec::out_of_memory);
  // The message destroys exactly the elements that were counted.
  auto* storage = data->storage();
  for (auto* type : layout.types) {
    type->construct(storage);
    data->inc_constructed_elements();
    if (!type->load(f, storage))
      return false;
    storage += type->padded_size;
  }
  msg = compat::to_message(std::move(data));
  return true;
}

} // namespace cafwire
