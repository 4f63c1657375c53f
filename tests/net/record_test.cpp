// This file is part of cafwire. See the file LICENSE for license terms.

// The heads of the records of a link, and the table of what they mention, without a connection.

#include "cafwire/link/export_table.hpp"
#include "cafwire/link/record.hpp"

#include "net/node.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>

#include <cstdint>
#include <initializer_list>
#include <vector>

using namespace net_test;

using cafwire::ec;
using cafwire::input_cursor;
using cafwire::output_buffer;
using cafwire::detail::export_table;
using cafwire::detail::link_op;
using cafwire::detail::record_head;
using cafwire::detail::relayed_bit;

namespace {

using bytes = std::vector<std::byte>;

bytes of(std::initializer_list<int> xs) {
  bytes result;
  for (auto x : xs)
    result.push_back(static_cast<std::byte>(x));
  return result;
}

bytes written(const record_head& head) {
  output_buffer out;
  REQUIRE(cafwire::detail::write_record_head(out, head));
  auto all = out.bytes();
  return {all.begin(), all.end()};
}

ec read(const bytes& from, record_head& head) {
  input_cursor in{from};
  auto code = cafwire::detail::read_record_head(in, head);
  if (code == ec::none)
    CHECK(in.at_end());
  return code;
}

/// A node whose actors are exported.
struct fixture {
  node here;
  export_table table;
  std::vector<caf::actor> actors;

  ~fixture() {
    for (auto& x : actors)
      send_anonymously(x, caf::close_atom_v);
  }

  caf::strong_actor_ptr make() {
    actors.push_back(here.spawn(server));
    return caf::actor_cast<caf::strong_actor_ptr>(actors.back());
  }
};

} // namespace

TEST_CASE("heads are written as documented, and read back") {
  struct row {
    record_head head;
    bytes expected;
  };
  auto head = [](link_op op, uint64_t target, uint64_t source = 0, bool returned = false) {
    record_head result;
    result.op = op;
    result.target = target;
    result.source = source;
    result.returned_source = returned;
    return result;
  };
  const row rows[] = {
    {head(link_op::monitor, 300), of({0x02, 0xac, 0x02})},
    {head(link_op::link, 5, 7), of({0x0c, 0x05, 0x07})},
    {head(link_op::unlink, 5, 7), of({0x0d, 0x05, 0x07})},
    {head(link_op::release, 5), of({0x06, 0x05})},
    {head(link_op::release, 0), of({0x06, 0x00})},
    {head(link_op::monitor, 1 | relayed_bit), of({0x42, 0x01})},
    {head(link_op::down, 1 | relayed_bit), of({0x43, 0x01})},
    {head(link_op::message, 1, 2 | relayed_bit), of({0x89, 0x01, 0x02})},
    {head(link_op::message, 1 | relayed_bit, 2 | relayed_bit, true), of({0xe9, 0x01, 0x02})},
    {head(link_op::message, 1, 2, true), of({0x29, 0x01, 0x02})},
  };
  for (auto& [original, expected] : rows) {
    CHECK(written(original) == expected);
    record_head copy;
    REQUIRE(read(expected, copy) == ec::none);
    CHECK(copy.op == original.op);
    CHECK(copy.target == original.target);
    CHECK(copy.source == original.source);
    CHECK(copy.returned_source == original.returned_source);
    // Every part is missed.
    for (size_t size = 0; size < expected.size(); ++size)
      CHECK(read({expected.begin(), expected.begin() + static_cast<ptrdiff_t>(size)}, copy)
            == ec::unexpected_end);
  }
}

TEST_CASE("heads that make no sense are refused") {
  record_head head;
  for (auto first = 0; first < 256; ++first) {
    auto op = first & 0x07;
    auto names_source = (first & 0x08) != 0;
    auto needs_source = (first & 0xa0) != 0;
    auto valid = op >= 1 && op <= 6 && (names_source || !needs_source);
    auto input = of({first, 1});
    if (names_source)
      input.push_back(std::byte{2});
    if ((first & 0x10) != 0)
      input.push_back(std::byte{3});
    CAPTURE(first);
    if (valid)
      CHECK(read(input, head) == ec::none);
    else
      CHECK(read(input, head) == ec::invalid_tag);
  }
  // IDs that look like those of relayed actors.
  CHECK(read(of({0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}), head)
        == ec::invalid_varint);
  CHECK(read(of({0x0c, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}), head)
        == ec::invalid_varint);
  CHECK(read(of({0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), head) == ec::none);
  CHECK(head.target == relayed_bit - 1);
}

TEST_CASE_METHOD(fixture, "what is mentioned is found once the record is committed") {
  auto one = make();
  auto two = make();
  CHECK(table.find(one->id()) == nullptr);
  table.mention(one->id(), one);
  table.mention(two->id(), two);
  CHECK(table.find(one->id()) == nullptr);
  table.commit(1);
  CHECK(table.find(one->id()) == one);
  CHECK(table.find(two->id()) == two);
  CHECK(table.size() == 2);
  table.touch(one->id(), one, 2);
  CHECK(table.size() == 2);
  auto all = table.clear();
  CHECK(all.size() == 2);
  CHECK(table.size() == 0);
  CHECK(table.find(one->id()) == nullptr);
}

TEST_CASE_METHOD(fixture, "a record that is not sent leaves nothing behind") {
  auto one = make();
  auto other = make();
  table.touch(one->id(), one, 1);
  auto number = table.relay_key(other);
  table.mention(number, other);
  table.mention(one->id(), one);
  CHECK(table.roll_back().size() == 2);
  table.commit(2);
  CHECK(table.size() == 1);
  // The last record that mentions it is still the first one.
  CHECK(table.release(one->id(), 1).handle == one);
  CHECK(table.relay_key(other) != number);
}

TEST_CASE_METHOD(fixture, "relayed actors keep their number until they are released") {
  auto one = make();
  auto number = table.relay_key(one);
  CHECK(number == (1 | relayed_bit));
  CHECK(table.relay_key(one) == number);
  table.mention(number, one);
  table.commit(1);
  CHECK(table.relay_key(one) == number);
  CHECK(table.find(number) == one);
  CHECK(table.find(1) == nullptr);
  CHECK(table.release(number, 0).handle == nullptr);
  CHECK(table.release(number, 1).handle == one);
  CHECK(table.find(number) == nullptr);
  CHECK(table.relay_key(one) == (2 | relayed_bit));
}

TEST_CASE_METHOD(fixture, "releases count for what has been seen") {
  auto one = make();
  table.touch(one->id(), one, 5);
  CHECK(table.release(one->id(), 4).handle == nullptr);
  table.touch(one->id(), one, 8);
  CHECK(table.release(one->id(), 7).handle == nullptr);
  CHECK(table.monitor(one->id()));
  CHECK_FALSE(table.monitor(one->id()));
  auto gone = table.release(one->id(), 8);
  CHECK(gone.handle == one);
  CHECK(gone.monitored);
  CHECK(table.release(one->id(), 9).handle == nullptr);
  CHECK_FALSE(table.monitor(one->id()));
  // The same actor again, with nothing of the past.
  table.touch(one->id(), one, 9);
  CHECK(table.monitor(one->id()));
  CHECK(table.erase(one->id()).monitored);
  CHECK(table.erase(one->id()).handle == nullptr);
}

TEST_CASE_METHOD(fixture, "what the peer could not read about is released together") {
  auto one = make();
  auto two = make();
  auto three = make();
  table.touch(one->id(), one, 1);
  table.touch(two->id(), two, 1);
  table.touch(three->id(), three, 3);
  CHECK(table.monitor(one->id()));
  auto gone = table.release_unknown(2);
  REQUIRE(gone.size() == 1);
  CHECK(gone.front().handle == two);
  // A number that does not grow has no effect.
  table.touch(two->id(), two, 2);
  CHECK(table.release_unknown(2).empty());
  CHECK(table.release_unknown(1).empty());
  CHECK(table.release_unknown(3).size() == 2);
  CHECK(table.find(one->id()) == one);
}
