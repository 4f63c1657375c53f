// This file is part of cafwire. See the file LICENSE for license terms.

// The second version of the program. All types have changed, and their IDs, too.

#include <caf/type_id.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace shop {

struct line {
  int32_t x = 0;
  int32_t y = 0;
  int32_t z = 7;
};

template <class Inspector>
bool inspect(Inspector& f, line& x) {
  return f.object(x).fields(f.field("x", x.x), f.field("y", x.y), f.field("z", x.z));
}

enum class state : uint16_t { open, closed, cancelled };

template <class Inspector>
bool inspect(Inspector& f, state& x) {
  auto get = [&x] { return static_cast<uint16_t>(x); };
  auto set = [&x](uint16_t value) {
    x = static_cast<state>(value);
    return value <= static_cast<uint16_t>(state::cancelled);
  };
  return f.apply(get, set);
}

struct order {
  std::string item;
  std::string currency = "EUR";
  int64_t id = 0;
  double price = 0;
  std::vector<line> lines;
  state progress = state::open;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("item", x.item), f.field("currency", x.currency),
                            f.field("id", x.id), f.field("price", x.price),
                            f.field("lines", x.lines), f.field("progress", x.progress));
}

struct receipt {
  int64_t order_id = 0;
};

template <class Inspector>
bool inspect(Inspector& f, receipt& x) {
  return f.object(x).fields(f.field("order_id", x.order_id));
}

} // namespace shop

CAF_BEGIN_TYPE_ID_BLOCK(shop, first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (shop::receipt))
  CAF_ADD_TYPE_ID(shop, (std::vector<shop::order>) )
  CAF_ADD_TYPE_ID(shop, (shop::order))
  CAF_ADD_TYPE_ID(shop, (shop::state))
  CAF_ADD_TYPE_ID(shop, (shop::line))
CAF_END_TYPE_ID_BLOCK(shop)

namespace shop {

const std::string version = "2";

inline order make_order(int n) {
  return {"item " + std::to_string(n),
          "EUR",
          n,
          0.5 * n,
          std::vector<line>(static_cast<size_t>(n), {n, -n, 7}),
          state::open};
}

inline order make_large_order() {
  return {"large",
          "EUR",
          std::numeric_limits<int64_t>::max() - 1,
          std::numeric_limits<double>::max(),
          {},
          state::cancelled};
}

inline void handle(order& x) {
  ++x.id;
  x.progress = state::closed;
  for (auto& line : x.lines)
    ++line.x;
}

// What the other version does not know comes back as it is in new objects.
inline bool is_answer(const order& x, const order& question) {
  auto same_lines = x.lines.size() == question.lines.size();
  for (size_t i = 0; same_lines && i < x.lines.size(); ++i)
    same_lines = x.lines[i].x == question.lines[i].x + 1 && x.lines[i].y == question.lines[i].y
                 && x.lines[i].z == 7;
  return x.id == question.id + 1 && x.item == question.item && x.price == question.price
         && x.currency == "EUR" && x.progress == state::closed && same_lines;
}

} // namespace shop

#include "upgrade/node.hpp"

int caf_main(caf::actor_system& system, const shop::config& cfg) {
  return shop::run(system, cfg);
}

CAFWIRE_MAIN(caf::id_block::shop, caf::io::middleman)
