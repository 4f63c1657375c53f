// This file is part of cafwire. See the file LICENSE for license terms.

// The first version of the program.

#include <caf/type_id.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace shop {

struct line {
  int32_t x = 0;
  int32_t y = 0;
};

template <class Inspector>
bool inspect(Inspector& f, line& x) {
  return f.object(x).fields(f.field("x", x.x), f.field("y", x.y));
}

enum class state : uint8_t { open, closed };

template <class Inspector>
bool inspect(Inspector& f, state& x) {
  auto get = [&x] { return static_cast<uint8_t>(x); };
  auto set = [&x](uint8_t value) {
    x = static_cast<state>(value);
    return value <= static_cast<uint8_t>(state::closed);
  };
  return f.apply(get, set);
}

struct order {
  int32_t id = 0;
  std::string item;
  float price = 0;
  state progress = state::open;
  std::vector<line> lines;
  std::optional<std::string> note;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("item", x.item), f.field("price", x.price),
                            f.field("progress", x.progress), f.field("lines", x.lines),
                            f.field("note", x.note));
}

} // namespace shop

CAF_BEGIN_TYPE_ID_BLOCK(shop, first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (shop::line))
  CAF_ADD_TYPE_ID(shop, (shop::state))
  CAF_ADD_TYPE_ID(shop, (shop::order))
  CAF_ADD_TYPE_ID(shop, (std::vector<shop::order>) )
CAF_END_TYPE_ID_BLOCK(shop)

namespace shop {

const std::string version = "1";

inline order make_order(int n) {
  return {n,
          "item " + std::to_string(n),
          0.5f * static_cast<float>(n),
          state::open,
          std::vector<line>(static_cast<size_t>(n), {n, -n}),
          "note"};
}

inline order make_large_order() {
  return {std::numeric_limits<int32_t>::max() - 1,
          "large",
          std::numeric_limits<float>::max(),
          state::closed,
          {},
          std::nullopt};
}

inline void handle(order& x) {
  ++x.id;
  x.progress = state::closed;
  for (auto& line : x.lines)
    ++line.x;
}

// Nothing is asked of `note`: the other version does not know it.
inline bool is_answer(const order& x, const order& question) {
  auto same_lines = x.lines.size() == question.lines.size();
  for (size_t i = 0; same_lines && i < x.lines.size(); ++i)
    same_lines = x.lines[i].x == question.lines[i].x + 1 && x.lines[i].y == question.lines[i].y;
  return x.id == question.id + 1 && x.item == question.item && x.price == question.price
         && x.progress == state::closed && same_lines;
}

} // namespace shop

#include "upgrade/node.hpp"

int caf_main(caf::actor_system& system, const shop::config& cfg) {
  return shop::run(system, cfg);
}

CAFWIRE_MAIN(caf::id_block::shop, caf::io::middleman)
