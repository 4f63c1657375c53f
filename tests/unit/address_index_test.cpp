// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/session/address_index.hpp"

#include "support/catch.hpp"

#include <cstdint>
#include <vector>

using cafwire::detail::address_index;

TEST_CASE("an empty index finds nothing") {
  address_index index;
  int x = 0;
  CHECK(index.find(&x) == 0);
  index.clear();
  index.erase(1);
  CHECK(index.find(&x) == 0);
}

TEST_CASE("an index finds what was put into it, however much that is") {
  std::vector<uint16_t> places(10000);
  address_index index;
  for (uint32_t i = 0; i < places.size(); ++i) {
    index.insert(&places[i], i + 1);
    // Around growth, all that came before must still be there.
    if (i < 100)
      for (uint32_t k = 0; k <= i; ++k)
        CHECK(index.find(&places[k]) == k + 1);
  }
  auto good = true;
  for (uint32_t i = 0; i < places.size(); ++i)
    good &= index.find(&places[i]) == i + 1;
  CHECK(good);
  index.clear();
  CHECK(index.find(&places[0]) == 0);
  CHECK(index.find(&places[9999]) == 0);
}

TEST_CASE("several addresses may have one number and are forgotten together") {
  std::vector<uint16_t> places(64);
  address_index index;
  for (uint32_t i = 0; i < places.size(); ++i)
    index.insert(&places[i], i % 4 + 1);
  index.erase(2);
  for (uint32_t i = 0; i < places.size(); ++i)
    CHECK(index.find(&places[i]) == (i % 4 == 1 ? 0 : i % 4 + 1));
  // An address that was forgotten may come back.
  index.insert(&places[1], 9);
  CHECK(index.find(&places[1]) == 9);
  // Forgetting makes room, so the table does not grow without end.
  for (auto round = 0; round < 1000; ++round) {
    index.insert(&places[5], 7);
    index.erase(7);
  }
  CHECK(index.find(&places[5]) == 0);
  CHECK(index.find(&places[0]) == 1);
}
