// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/inspect/handle_codec.hpp"
#include "cafwire/link/actor_cache.hpp"
#include "cafwire/link/authenticator.hpp"
#include "cafwire/link/export_table.hpp"
#include "cafwire/link/frame_queue.hpp"
#include "cafwire/link/handshake.hpp"
#include "cafwire/link/link_counters.hpp"
#include "cafwire/link/link_engine.hpp"
#include "cafwire/link/link_recording.hpp"
#include "cafwire/link/outgoing_record.hpp"
#include "cafwire/link/pending_requests.hpp"
#include "cafwire/link/proxy_table.hpp"
#include "cafwire/link/published_actor.hpp"
#include "cafwire/link/record.hpp"
#include "cafwire/link_options.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/session/deserializer_session.hpp"
#include "cafwire/session/frame.hpp"
#include "cafwire/session/serializer_session.hpp"
#include "cafwire/wire/buffer_pool.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/node_id.hpp>

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

/// One connection between two actor systems: two sessions, the proxies of remote actors, and the
/// actors that the peer knows.
///
/// Sending (`send` and what proxies call) is thread-safe: messages are encoded in the thread of the
/// sender, right into the outgoing buffer, under a lock that also covers the session. Large
/// messages are encoded into buffers of their own without the lock: nobody waits for the large
/// messages of others. Which ones are large shows when they outgrow the frame, at the cost of a few
/// kilobytes. Receiving is for one thread at a time: that of the engine until the handshake is
/// known, then that of the `link_reader`.
///
/// `mutex_` is not held while code of CAF or of users is called, except that it is held while a
/// message is encoded.
class link final : public std::enable_shared_from_this<link>, private handle_codec {
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

  /// Returns the node of the peer, which is empty until the handshake is done.
  caf::node_id peer() const;

  /// Returns the actor that offers the services of the peer, or `nullptr`.
  caf::strong_actor_ptr services() const;

  /// Returns the outcome of the handshake, once.
  std::future<link_result> result();

  // -- output -------------------------------------------------------------------------------------

  /// Sends a message to an actor that the peer has exported.
  bool send(uint64_t target, caf::mailbox_element_ptr what);

  /// Sends a record without a message. Takes no lock of an actor.
  void send_control(link_op op, uint64_t target, caf::strong_actor_ptr source = nullptr);

  /// Sends a message to an actor of this node as soon as there is room for messages: at once, or
  /// when the peer has taken half of what `link_options::max_buffered_bytes` allows. Also when the
  /// link ends: the next message will tell why.
  void when_writable(caf::strong_actor_ptr whom, caf::message what);

  /// Returns an actor that the peer may talk to, or `nullptr`. Thread-safe.
  caf::strong_actor_ptr find_export(uint64_t key) const;

  /// Forgets a request of the peer's that has not been answered yet. Thread-safe.
  /// @param answered whether a response has arrived.
  /// @returns `false` if there is none.
  bool take_pending(uint64_t source, caf::message_id id, bool answered = false);

  /// Moves the next bytes that wait to be sent into `out`. What was taken before counts as written
  /// then.
  /// @returns `false` if there is nothing; the next message calls `wake` again then.
  bool take_output(output_buffer& out);

  /// Frees buffers for output that are not in use.
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
  void on_exit(uint64_t key, const caf::error& reason);

  // -- lifetime of remote actors ------------------------------------------------------------------

  /// Lets go of all remote actors that nobody on this node knows any longer, and tells the peer.
  /// @pre called like the functions for input, between two records
  void release_unused();

  /// Returns how many actors of the peer are known here. Thread-safe.
  size_t remote_actors() const noexcept {
    return proxies_.size();
  }

private:
  /// How the peer knows an actor.
  struct actor_key {
    uint64_t key;
    /// Whether the peer has exported the actor, and not this side.
    bool of_peer;
  };

  /// An actor of this node that waits for room.
  struct waiting_writer {
    caf::strong_actor_ptr whom;
    caf::message what;
  };

  // -- the handshake, for the thread of the engine ------------------------------------------------

  /// Appends the own handshake.
  /// @pre `mutex_` is locked
  ec write_own_handshake();

  /// Handles one frame of the peer that comes before its handshake.
  ec authenticate(std::span<const std::byte> input, size_t& consumed);

  // -- output, under `mutex_` ---------------------------------------------------------------------

  using counters = link_counters;

  using record = outgoing_record;

  /// Writes handles while the lock is not held.
  class unlocked_handles;

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

  /// Encodes a message without the lock, and appends it as a frame of its own.
  /// @returns `false` if the link has ended.
  bool append_large(record& rec);

  /// Returns whether there is no more room for a message.
  bool must_refuse(const record& rec) const noexcept;

  /// Tells whoever needs to know that a message was not sent.
  void refuse(const record& rec);

  /// @param is_large receives whether the message is for `append_large`; nothing was appended then.
  caf::error append_locked(record& rec, bool& is_large);

  caf::error append_message(record& rec, bool& is_large);

  /// Appends a message to the open frame.
  /// @returns `ec::frame_too_large` if the frame grew beyond what the peer accepts. Nothing was
  ///          appended then, nor in case of other errors.
  caf::error encode(record& rec, bool& is_large);

  /// Appends a frame with one message whose payload has been encoded already. If that fails,
  /// `roll_back` must follow.
  caf::error append_encoded(record& rec, output_buffer& payload);

  /// Counts a message that could not be sent, and tells the requester if it was a response.
  void note_failure(record& rec, const caf::error& reason);

  /// What the session had defined before a message.
  struct defined_before {
    explicit defined_before(const serializer_session& session)
      : definitions(session.definitions()), bytes(session.definition_bytes()) {
      // nop
    }

    size_t definitions;
    size_t bytes;
  };

  /// Counts a message that was appended, and remembers a request.
  void note_sent(const record& rec, defined_before before);

  /// Asks for the engine if somebody has to, and there is something to write.
  std::shared_ptr<link_engine> engine_to_wake();

  /// Returns whoever need not wait any longer, for a call to `tell`.
  std::vector<waiting_writer> take_writers();

  /// Tells actors that there is room.
  static void tell(std::vector<waiting_writer> writers);

  caf::error append_control(record& rec);

  /// Returns how the peer knows an actor, unless it is one that this node relays messages to. Needs
  /// no lock.
  std::optional<actor_key> direct_key_of(const caf::strong_actor_ptr& actor) const;

  actor_key key_of(const caf::strong_actor_ptr& actor);

  static ec write_handle(serializer& f, actor_key key, const caf::strong_actor_ptr& handle);

  /// Appends the head of a record, and where its source lives if the peer cannot know that.
  bool append_head(record& rec);

  /// Takes over what was encoded without the lock. `commit` or `roll_back` must follow.
  void add_mentions(record& rec);

  /// Makes reachable what the last record mentions.
  void commit(const record& rec);

  /// Forgets what the record mentions that could not be written.
  void roll_back(record& rec);

  /// Sends the exit reason of an actor.
  void send_down(uint64_t key, const caf::error& reason);

  /// Tells the peer that this node has no handle to an actor.
  /// @param seen how many records of the peer have been taken into account.
  void send_release(uint64_t key, uint64_t seen);

  bool take_output_locked(output_buffer& out);

  /// Completes the open frame, if any.
  void close_frame();

  // -- input --------------------------------------------------------------------------------------

  ec receive_record(compat::deferring_context& ctx);

  /// Finds the source of a record.
  ec receive_source(input_cursor& in, const record_head& head, caf::strong_actor_ptr& source);

  ec receive_message(input_cursor& in, const record_head& head, caf::strong_actor_ptr source,
                     compat::deferring_context& ctx);

  /// Tells of types that the peer has in other versions.
  void report_differences();

  ec receive_down(input_cursor& in, const record_head& head);

  ec receive_release(input_cursor& in, const record_head& head);

  void receive_monitor(uint64_t target);

  void receive_link(const record_head& head, const caf::strong_actor_ptr& source);

  void deliver(caf::strong_actor_ptr source, caf::strong_actor_ptr& target, caf::message_id id,
               caf::message content, compat::deferring_context& ctx);

  /// Returns an actor of this node in place of a remote one.
  caf::strong_actor_ptr stand_in_for(const caf::strong_actor_ptr& remote);

  /// Returns an actor that the peer may talk to.
  caf::strong_actor_ptr find_target(uint64_t key);

  /// Returns an actor whose handle comes back from the peer. It may know an actor of this node
  /// through another link, or through another node.
  caf::strong_actor_ptr find_own(uint64_t key);

  /// Returns an actor of the peer.
  caf::strong_actor_ptr find_remote(uint64_t id);

  /// Returns an actor of a third node that the peer relays messages to.
  caf::strong_actor_ptr find_relayed(uint64_t key, const caf::node_id& node, uint64_t id);

  caf::strong_actor_ptr make_proxy(uint64_t key, const caf::node_id& node, uint64_t id);

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
  /// For large messages. Thread-safe.
  buffer_pool pool_;

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
  /// What the peer offers.
  caf::strong_actor_ptr services_;
  /// Somebody has woken the engine, and it has not found the output empty since.
  bool awake_ = false;
  frame_queue frames_;
  /// The types of the last message if that was large: the next one with the same types will be.
  const caf::type_id_t* large_types_ = nullptr;
  std::optional<serializer_session> tx_;
  pending_requests pending_;
  counters sent_;
  /// How many bytes, at the begin of what is sent, prove that there is a key. Never recorded.
  size_t authentication_bytes_ = 0;
  std::vector<waiting_writer> writers_;
  /// How many messages the engine has taken.
  size_t messages_taken_ = 0;
  uint64_t records_sent_ = 0;
  export_table exports_;

  // -- input, owned by the thread that receives ---------------------------------------------------

  std::optional<frame_counter> rx_frames_;
  std::optional<deserializer_session> rx_;
  size_t known_definitions_ = 0;
  std::set<std::string> reported_types_;
  input_cursor rx_frame_;
  uint64_t records_received_ = 0;
  actor_cache targets_;
  proxy_table proxies_;
  /// For remote actors that have sent something to actors of stock connections.
  std::unordered_map<uint64_t, caf::strong_actor_ptr> stand_ins_;
  /// The peer has told us about more actors than allowed.
  bool too_many_actors_ = false;
  counters received_;

  // -- the outcome of the handshake ---------------------------------------------------------------

  std::mutex result_mutex_;
  std::promise<link_result> result_;
  bool reported_ = false;
};

using link_ptr = std::shared_ptr<link>;

} // namespace cafwire::detail
