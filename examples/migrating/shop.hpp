// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// The messages of the examples for migrating: the same before and after.

#include <caf/all.hpp>

#include <cstdint>
#include <string>
#include <vector>

struct order {
  std::string customer;
  std::vector<uint32_t> articles;
  double price = 0;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("customer", x.customer), f.field("articles", x.articles),
                            f.field("price", x.price));
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (order))
CAF_END_TYPE_ID_BLOCK(shop)
