// This file is part of cafwire. See the file LICENSE for license terms.

// Records of a link, behind a good handshake and in frames with good headers. The input holds the
// bodies of two frames: its first byte is the size of the first one. The link knows actor 7 of this
// node, which has sent a request to actor 12, and an actor of a third node under the number 1.

#include "fuzz/target.hpp"
#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include "cafwire/link/bounce.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_metrics.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/make_actor.hpp>

#include <algorithm>
#include <memory>

using namespace session_test;

using cafwire::ec;
// `link` is a function of POSIX, too.
using link_under_test = cafwire::detail::link;

namespace {

constexpr uint64_t epoch = 0x0102030405060708;

/// Who a sender on a third node is: process ID 3, host 03 ... 03, ID 9.
constexpr auto identity = " 01 01 03 00 00 00 03*20 09 00*7";

/// What is in a frame, in hexadecimal.
std::string body(const std::string& hex) {
  std::string result(1, '\0');
  fuzz::append(result, from_hex(hex));
  return result;
}

struct actor_system {
  actor_system() : system((register_types(), config)) {
    // nop
  }

  struct one_thread : caf::actor_system_config {
    one_thread() {
      set("caf.scheduler.max-threads", 1);
    }
  };

  one_thread config;
  caf::actor_system system;
};

caf::actor_system& sys() {
  // Never destroyed: CAF keeps things for each thread that a system uses when it ends, and those of
  // the main thread are gone when static objects are destroyed.
  static auto* result = new actor_system;
  return result->system;
}

/// An actor that answers each request with an error, in the thread that delivers it.
class sink final : public cafwire::compat::proxy_base {
public:
  explicit sink(caf::actor_config& cfg) : proxy_base(cfg) {
    ++alive;
  }

  ~sink() override {
    --alive;
  }

  static caf::strong_actor_ptr make(caf::actor_id id, const caf::node_id& node) {
    caf::actor_config cfg;
    return caf::make_actor<sink, caf::strong_actor_ptr>(id, node, &sys(), cfg);
  }

  inline static int alive = 0;

protected:
  bool forward(caf::mailbox_element_ptr what) override {
    cafwire::detail::bounce(what->sender, what->mid);
    return true;
  }

  void linked(caf::abstract_actor*) override {
    // nop
  }

  void unlinked(caf::abstract_actor*) override {
    // nop
  }

  void killed() override {
    // nop
  }
};

class no_engine : public cafwire::detail::link_engine {
public:
  void wake() override {
    // nop
  }

  void resume_input() override {
    // nop
  }

  void end(ec) override {
    // nop
  }
};

caf::node_id node_of(uint32_t process, char digit) {
  auto result = caf::make_node_id(process, std::string(40, digit));
  fuzz::require(static_cast<bool>(result), "the ID of a node");
  return *result;
}

void shake_hands(link_under_test& what) {
  cafwire::detail::handshake hello;
  hello.epoch = epoch;
  hello.registry_hash = cafwire::known_types::global()->hash();
  hello.max_frame_bytes = size_t{1} << 20;
  hello.node = node_of(4711, '1');
  // Who connects has nothing to publish, but may say so.
  hello.published = 12;
  cafwire::output_buffer out;
  fuzz::require(cafwire::detail::write_handshake(out, hello) == ec::none, "a handshake");
  size_t consumed = 0;
  fuzz::require(what.receive_handshake(out.bytes(), consumed) == ec::none, "it is good");
}

/// Hands a frame to the link.
ec receive(link_under_test& what, cafwire::frame_counter& frames,
           std::span<const std::byte> content) {
  auto size = cafwire::frame_size(content.size());
  // Messages may share the memory.
  auto frame = std::make_shared<std::vector<std::byte>>(size);
  cafwire::write_frame_header(frame->data(),
                              frames.next(cafwire::frame_kind::records, content.size()));
  std::copy(content.begin(), content.end(), frame->data() + cafwire::frame_header_size);
  what.input_owner(frame);
  size_t consumed = 0;
  fuzz::require(what.begin_frame(*frame, consumed) == ec::none, "the header is good");
  fuzz::require(consumed == size, "the frame is known");
  cafwire::compat::deferring_context ctx{sys()};
  auto code = ec::none;
  while (code == ec::none && what.in_frame()) {
    auto limit = size_t{16};
    code = what.receive_records(ctx, limit);
    fuzz::require(code != ec::none || limit == 0 || !what.in_frame(), "the link goes on");
  }
  ctx.release(nullptr);
  return code;
}

/// Takes what the link has to say, which must be whole frames.
void drain(link_under_test& what) {
  cafwire::output_buffer out;
  while (what.take_output(out)) {
    auto rest = out.bytes();
    while (!rest.empty()) {
      cafwire::frame_header header;
      fuzz::require(cafwire::read_frame_header(rest, cafwire::limits::trusted(), header)
                      == ec::none,
                    "the link writes headers");
      fuzz::require(cafwire::frame_size(header.body_size) <= rest.size(), "and whole frames");
      rest = rest.subspan(cafwire::frame_size(header.body_size));
    }
    out.clear();
  }
}

} // namespace

std::vector<std::string> fuzz::seeds() {
  std::ignore = sys();
  const std::string place = identity;
  std::vector<std::string> result{
    // monitor, release: known actors and others
    body("02 07 42 01 02 ff 01 42 02"),
    body("06 07 00 46 01 05 06 07 c8 01 46 02 00 01 07 00 02 02 01 00 01 00"),
    // requests, a response, and one that nobody waits for
    body(
      "19 07 0c 51 00 02 04 01 02 06 0d 01 07 05 00*3 02 61 62 19 07 0c 60 01 07 05 00*3 02 61 62"),
    body("19 07 0c 19 00 02 03 01 01 06 01 04 0a 00*3 19 07 0c 29 01 04 0a 00*3"),
    // handles of all kinds, twice
    body("01 07 00 02 03 01 01 2e 01 2c 05 00 02 0c 03 07 04 01" + place
         + " 05 01 01 07 01 2c 05 00 02 0c 03 07 04 01" + place + " 05 01"),
    // sources and targets on third nodes
    body("99 07 01 51 22" + place + " 00 02 03 01 01 11 01 24 04 01" + place
         + " 59 01 0c 61 01 02 05 01 b9 07 01 81 01 01 02 03 07"),
    // links, and the ends of actors
    body("0c 07 0c cc 01 01 22" + place + " 0d 07 0c cd 01 01 22" + place),
    body("0c 07 0c 8c 07 01 22" + place + " 03 0c 03 04 1b 00 43 01 01 00 03 0d 01 00"),
  };
  result[0][0] = 4; // two frames
  cafwire::session_options options;
  options.peer_registry_hash = cafwire::known_types::global()->hash();
  cafwire::serializer_session writer{cafwire::known_types::global(), options};
  cafwire::output_buffer out;
  for (auto& msg : {caf::make_message(point{1, 2, 3}), caf::make_message(color::blue, caf::actor{}),
                    caf::make_message(parcel{"p", caf::make_message(2.0f)})}) {
    const std::byte head[] = {std::byte{0x09}, std::byte{0x07}, std::byte{0x0c}};
    fuzz::require(out.append(head, sizeof head), "there is memory");
    fuzz::require(writer.write_message(out, msg) == ec::none, "a seed can be written");
  }
  result.emplace_back(1, '\0');
  append(result.back(), out.bytes());
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto metrics = std::make_shared<cafwire::detail::link_metrics>(sys());
  fuzz::input in{data, size};
  auto choice = size_t{in.choice()};
  auto first = std::min(choice, in.rest().size());
  auto published = std::make_shared<cafwire::detail::published_actor>();
  published->handle = sink::make(7, sys().node());
  auto third = sink::make(9, node_of(5, '5'));
  auto engine = std::make_shared<no_engine>();
  auto what = std::make_shared<link_under_test>(sys(), cafwire::link_options{}, published,
                                                std::weak_ptr<cafwire::detail::link_table>{},
                                                metrics);
  what->start(engine);
  shake_hands(*what);
  using cafwire::compat::make_element;
  auto content = caf::make_message(int32_t{1});
  what->send(12, make_element(published->handle, caf::make_message_id(uint64_t{1}), content));
  what->send(12, make_element(third, caf::make_message_id(), content));
  cafwire::frame_counter frames{epoch, 1};
  if (receive(*what, frames, in.rest().first(first)) == ec::none)
    std::ignore = receive(*what, frames, in.rest().subspan(first));
  drain(*what);
  what->release_unused();
  // Whoever observes them learns that the actors end.
  for (auto& x : {published->handle, third})
    static_cast<sink*>(x->get())->kill_proxy(nullptr, caf::error{caf::exit_reason::kill});
  drain(*what);
  what->close(caf::error{ec::connection_closed});
  std::weak_ptr<link_under_test> gone = what;
  what = nullptr;
  published = nullptr;
  third = nullptr;
  fuzz::require(gone.expired(), "the link is gone");
  fuzz::require(sink::alive == 0, "nothing holds the actors");
  return 0;
}
