// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/inspect/handle_codec.hpp"
#include "cafwire/link/authenticator.hpp"
#include "cafwire/link/handshake.hpp"
#include "cafwire/link/link_recording.hpp"
#include "cafwire/link/record.hpp"
#include "cafwire/link_options.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/session/deserializer_session.hpp"
#include "cafwire/session/frame.hpp"
#include "cafwire/session/serializer_session.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/node_id.hpp>
#include <caf/proxy_registry.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cafwire::detail {

class link_metrics;
class link_table;

/// The side of a link that moves bytes. All functions are thread-safe and are called without
/// locks.
class link_engine {
public:
  virtual ~link_engine() = default;

  /// Asks for a call to `link::take_output` soon. Called once only until the output has been found
  /// empty.
  virtual void wake() = 0;

  /// Asks for more input, of which there was too much before.
  virtual void resume_input() = 0;

  /// Asks for the end of the link: its input has ended, or makes no sense.
  virtual void end(ec reason) = 0;
};

/// What an accepting side offers to whoever connects.
struct published_actor {
  caf::strong_actor_ptr handle;
  std::set<std::string> interface;
  /// Set when the actor has terminated.
  std::atomic<bool> terminated{false};
};

/// What a connecting side learns from the handshake.
struct link_result {
  caf::error reason;
  caf::strong_actor_ptr published;
  std::set<std::string> interface;
  /// If the system has connected to itself: the ID of the published actor.
  std::optional<caf::actor_id> local_id;
};

/// One connection between two actor systems: two sessions, the proxies of remote actors, and the
/// actors that the peer knows.
///
/// Sending (`send` and what proxies call) is thread-safe: messages are encoded in the thread of the
/// sender, right into the outgoing buffer, under a lock that also covers the session. Receiving is
/// for one thread at a time: that of the engine until the handshake is known, then that of the
/// `link_reader`.
///
/// Order of locks: that of the proxy registry, then `mutex_`, then `exports_mutex_`. None of them
/// is held while code of CAF or of users is called, except that `mutex_` is held while a message is
/// encoded.
class link final : public std::enable_shared_from_this<link>,
                   public caf::proxy_registry::backend,
                   private handle_codec {
public:
  /// @param siblings where to look for actors that the peer knows through other links.
  link(caf::actor_system& sys, const link_options& options,
       std::shared_ptr<published_actor> published, std::weak_ptr<link_table> siblings,
       std::shared_ptr<link_metrics> metrics);

  ~link() override;

  // -- life ---------------------------------------------------------------------------------------

  /// Writes the handshake.
  void start(std::weak_ptr<link_engine> engine);

  /// Ends the link: pending requests get an error, proxies die, actors of this node are released.
  /// Further calls have no effect. Called when nothing is received any more.
  void close(caf::error reason);

  /// Returns whether the handshake is done and the link has not ended.
  bool is_open() const;

  /// Returns the outcome of the handshake, once.
  std::future<link_result> result();

  // -- output -------------------------------------------------------------------------------------

  /// Sends a message to an actor of the peer.
  bool send(uint64_t target, caf::mailbox_element_ptr what);

  /// Sends a record without a message.
  void send_control(link_op op, uint64_t target, uint64_t source = 0);

  /// Makes an actor of this node reachable for the peer. Takes no lock of an actor.
  void export_actor(const caf::strong_actor_ptr& actor);

  /// Returns an actor of this node that a peer knows through this link, or `nullptr`. Thread-safe.
  caf::strong_actor_ptr find_exported_to(const caf::node_id& peer, uint64_t id);

  /// Moves everything that waits to be sent into `out`, in whole frames. What was taken before
  /// counts as written then.
  /// @returns `false` if there is nothing; the next message calls `wake` again then.
  bool take_output(output_buffer& out);

  /// Frees the buffer for output if it is empty.
  void release_memory();

  // -- input --------------------------------------------------------------------------------------

  /// Handles the handshake of the peer, and the proof that comes before it if there is a key.
  /// @param input what has arrived so far.
  /// @param consumed receives how many bytes are done with, in any case.
  /// @returns the reason for ending the link, `ec::unexpected_end` if the handshake is incomplete,
  ///          or `ec::none`.
  ec receive_handshake(std::span<const std::byte> input, size_t& consumed);

  /// Tells who owns the memory of the following frames, for views into it.
  void input_owner(std::shared_ptr<const void> owner);

  /// Turns to the frame at the begin of some whole frames. The records in it are for
  /// `receive_records`.
  /// @param frames must stay where they are until the frame has been handled.
  /// @param consumed receives how many bytes the frame takes.
  /// @returns the reason for ending the link, or `ec::none`.
  /// @pre the handshake is known, and no frame is open
  ec begin_frame(std::span<const std::byte> frames, size_t& consumed);

  /// Returns whether records of the last frame have not been handled yet.
  bool in_frame() const noexcept {
    return !rx_frame_.at_end();
  }

  /// Handles records of the last frame.
  /// @param limit the most records to handle; decremented for each.
  /// @returns the reason for ending the link, or `ec::none`.
  ec receive_records(compat::deferring_context& ctx, size_t& limit);

  /// Returns whether the handshake of the peer has arrived.
  bool peer_known() const noexcept {
    return rx_.has_value();
  }

  void add_to(link_statistics& sum) const;

  /// Called when an actor that the peer observes has terminated.
  void on_exit(uint64_t id, const caf::error& reason);

  // -- caf::proxy_registry::backend ---------------------------------------------------------------

  caf::strong_actor_ptr make_proxy(caf::node_id node, caf::actor_id id) override;

  void set_last_hop(caf::node_id*) override;

private:
  /// Remembers the last few actors, which are those that most messages are for.
  class actor_cache {
  public:
    caf::strong_actor_ptr* find(uint64_t id) noexcept {
      auto& entry = entries_[id % entries_.size()];
      return entry.id == id && entry.actor != nullptr ? &entry.actor : nullptr;
    }

    void put(uint64_t id, caf::strong_actor_ptr actor) {
      entries_[id % entries_.size()] = {id, std::move(actor)};
    }

    void erase(uint64_t id) {
      if (find(id) != nullptr)
        entries_[id % entries_.size()] = {};
    }

    void clear() {
      entries_ = {};
    }

  private:
    struct entry {
      uint64_t id = 0;
      caf::strong_actor_ptr actor;
    };

    std::array<entry, 16> entries_;
  };

  /// A request that the peer has not answered yet.
  struct pending_request {
    caf::strong_actor_ptr source;
    caf::message_id id;
    /// When it was sent; nothing for most requests.
    std::optional<std::chrono::steady_clock::time_point> sent_at;
  };

  /// An actor of this node that the peer may talk to.
  struct exported_actor {
    caf::strong_actor_ptr handle;
    /// Whether the peer has asked to be told about its end.
    bool monitored = false;
  };

  using pending_key = std::pair<uint64_t, uint64_t>;

  struct hash_key {
    size_t operator()(const pending_key& x) const noexcept {
      return std::hash<uint64_t>{}(x.first * 0x9e3779b97f4a7c15u ^ x.second);
    }
  };

  struct counters {
    std::atomic<size_t> messages{0};
    std::atomic<size_t> bytes{0};
    std::atomic<size_t> frames{0};
    std::atomic<size_t> errors{0};
    std::atomic<size_t> definitions{0};
    /// Messages that needed definitions.
    std::atomic<size_t> defining{0};
    std::atomic<size_t> failed_handshakes{0};
    std::atomic<size_t> undeliverable{0};
    std::atomic<size_t> refused{0};

    /// For counters with one writer at a time.
    static void add(std::atomic<size_t>& counter, size_t n) noexcept {
      counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
  };

  // -- the handshake, for the thread of the engine ------------------------------------------------

  /// Appends the own handshake.
  /// @pre `mutex_` is locked
  ec write_own_handshake();

  /// Handles one frame of the peer that comes before its handshake.
  ec authenticate(std::span<const std::byte> input, size_t& consumed);

  // -- output, under `mutex_` ---------------------------------------------------------------------

  /// A record that waits for its turn.
  struct record {
    record_head head;
    /// The message of the record, if it has one.
    caf::mailbox_element_ptr what;
    /// What follows the head of other records.
    output_buffer body;
  };

  /// A record for a link whose turn comes when this thread has finished encoding.
  struct deferred_record {
    std::shared_ptr<link> where;
    record what;
  };

  struct thread_state {
    /// Whether this thread encodes a message right now, for whichever link.
    bool encodes = false;
    /// What code inside of an `inspect` overload wanted to send meanwhile, or `nullptr`.
    std::vector<deferred_record>* deferred = nullptr;
  };

  static thread_local thread_state this_thread;

  /// Appends a record and wakes the engine if nothing was in flight. Waits with that if this thread
  /// is encoding a message already.
  /// @returns `false` if the link has ended.
  bool append(record rec);

  bool append_now(record& rec);

  /// Returns whether there is no more room for a message.
  bool must_refuse(const record& rec) const noexcept;

  /// Tells whoever needs to know that a message was not sent.
  void refuse(const record& rec);

  caf::error append_locked(record& rec);

  caf::error append_message(record& rec);

  /// Appends a message to the open frame.
  /// @returns `ec::frame_too_large` if the frame grew beyond what the peer accepts. Nothing was
  ///          appended then, nor in case of other errors.
  caf::error encode(record& rec);

  caf::error append_control(const record& rec);

  /// Sends the exit reason of an actor of this node.
  void send_down(uint64_t id, const caf::error& reason);

  bool open_frame();

  /// Returns how many bytes the open frame holds so far.
  size_t frame_body_size() const noexcept;

  void close_frame();

  // -- input --------------------------------------------------------------------------------------

  ec receive_record(compat::deferring_context& ctx);

  ec receive_message(input_cursor& in, const record_head& head, compat::deferring_context& ctx);

  ec receive_down(input_cursor& in, const record_head& head);

  void receive_monitor(uint64_t target);

  void receive_link(const record_head& head);

  /// Forgets a pending request.
  /// @param answered whether a response has arrived.
  /// @returns `false` if there is none.
  bool take_pending(uint64_t source, caf::message_id id, bool answered);

  void deliver(caf::strong_actor_ptr source, caf::strong_actor_ptr& target, caf::message_id id,
               caf::message content, compat::deferring_context& ctx);

  /// Returns an actor of this node that the peer may talk to.
  caf::strong_actor_ptr find_exported(uint64_t id);

  /// Returns an actor of this node whose handle comes back from the peer. It may know the actor
  /// through another link to this node.
  caf::strong_actor_ptr find_own(uint64_t id);

  /// Returns an actor of the peer.
  caf::strong_actor_ptr find_remote(uint64_t id);

  void report(link_result result);

  // -- handle_codec -------------------------------------------------------------------------------

  ec save(serializer& f, const caf::strong_actor_ptr& handle) override;

  ec load(deserializer& f, handle_tag tag, caf::strong_actor_ptr& handle) override;

  // -- fixed after construction -------------------------------------------------------------------

  caf::actor_system& system_;
  link_options options_;
  std::shared_ptr<published_actor> published_;
  std::weak_ptr<link_table> siblings_;
  std::shared_ptr<link_metrics> metrics_;
  uint64_t epoch_;
  /// `nullptr` if the link does not record.
  std::unique_ptr<link_recording> recording_;

  // -- owned by the thread of the engine, until the handshake is known ----------------------------

  /// Set if there is a key.
  std::unique_ptr<authenticator> authenticator_;

  // -- set by the handshake, before any proxy exists ----------------------------------------------

  caf::node_id peer_;
  bool peer_is_self_ = false;
  size_t peer_max_frame_bytes_ = 0;

  // -- output, guarded by `mutex_` ----------------------------------------------------------------

  mutable std::mutex mutex_;
  std::weak_ptr<link_engine> engine_;
  bool closed_ = false;
  /// Somebody has woken the engine, and it has not found the output empty since.
  bool awake_ = false;
  output_buffer out_;
  /// Bytes that the engine has taken and not yet written.
  size_t in_flight_ = 0;
  /// Where the open frame starts in `out_`.
  std::optional<size_t> frame_start_;
  frame_counter tx_frames_;
  std::optional<serializer_session> tx_;
  std::unordered_map<pending_key, pending_request, hash_key> pending_;
  counters sent_;
  /// How much of `out_`, at its begin, proves that there is a key. Never recorded.
  size_t authentication_bytes_ = 0;
  /// How many messages the engine has taken.
  size_t messages_taken_ = 0;
  size_t num_requests_ = 0;

  // -- actors that the peer knows, guarded by `exports_mutex_` ------------------------------------

  std::mutex exports_mutex_;
  std::unordered_map<uint64_t, exported_actor> exports_;
  std::atomic<uint64_t> last_export_{0};

  // -- input, owned by the thread that receives ---------------------------------------------------

  std::optional<frame_counter> rx_frames_;
  std::optional<deserializer_session> rx_;
  input_cursor rx_frame_;
  actor_cache targets_;
  actor_cache sources_;
  counters received_;

  caf::proxy_registry proxies_;

  // -- the outcome of the handshake ---------------------------------------------------------------

  std::mutex result_mutex_;
  std::promise<link_result> result_;
  bool reported_ = false;
};

using link_ptr = std::shared_ptr<link>;

} // namespace cafwire::detail
