// This file is part of cafwire. See the file LICENSE for license terms.

// Two versions of a type read each other. Both are part of this program, under two names; usually
// they have one name, in two programs, and need no alias.

#include <cafwire/all.hpp>

#include <caf/actor_system.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

namespace old_shop {

struct order {
  int32_t id = 0;
  std::string customer;
  float price = 0;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("customer", x.customer),
                            f.field("price", x.price));
}

} // namespace old_shop

namespace shop {

struct order {
  int64_t id = 0;
  std::string buyer;
  double price = 0;
  uint32_t quantity = 1;
  std::optional<std::string> note;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("buyer", x.buyer),
                            f.field("price", x.price), f.field("quantity", x.quantity),
                            f.field("note", x.note));
}

} // namespace shop

CAF_BEGIN_TYPE_ID_BLOCK(versions, first_custom_type_id)
  CAF_ADD_TYPE_ID(versions, (old_shop::order))
  CAF_ADD_TYPE_ID(versions, (shop::order))
CAF_END_TYPE_ID_BLOCK(versions)

namespace {

/// Writes an order and reads it as a program does that knows the type `To` only.
template <class To, class From>
cafwire::ec send(const From& x, To& result) {
  cafwire::serializer_session writer;
  cafwire::deserializer_session reader{cafwire::known_types::only({caf::type_id_v<To>})};
  cafwire::output_buffer out;
  if (auto code = writer.write(out, x); code != cafwire::ec::none)
    return code;
  cafwire::input_cursor in{out.bytes()};
  auto code = reader.read(in, result);
  for (auto& type : reader.differing_types())
    for (auto& line : type.lines)
      std::cout << "  " << line << '\n';
  if (code != cafwire::ec::none)
    std::cout << "  refused: " << to_string(reader.last_error()) << '\n';
  return code;
}

} // namespace

int main() {
  cafwire::init_global_meta_objects<caf::id_block::versions>();
  caf::core::init_global_meta_objects();
  cafwire::alias<shop::order>("old_shop::order");
  cafwire::alias<old_shop::order>("shop::order");
  cafwire::field_alias<shop::order>("buyer", "customer");

  std::cout << "an old order, read by the new program:\n";
  shop::order x;
  auto upgraded = send(old_shop::order{7, "Ada", 9.5f}, x) == cafwire::ec::none && x.id == 7
                  && x.buyer == "Ada" && x.price == 9.5 && x.quantity == 1 && !x.note;

  std::cout << "a new order, read by the old program:\n";
  old_shop::order y;
  auto downgraded = send(shop::order{7, "Ada", 9.5, 3, "soon"}, y) == cafwire::ec::none && y.id == 7
                    && y.customer.empty() && y.price == 9.5f;

  std::cout << "a new order whose number is too large for the old program:\n";
  auto refused = send(shop::order{int64_t{1} << 40, "Ada", 9.5, 1, {}}, y)
                 == cafwire::ec::value_not_representable;

  return upgraded && downgraded && refused ? 0 : 1;
}
