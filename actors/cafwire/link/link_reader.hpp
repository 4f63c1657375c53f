// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/wire/array_view.hpp"
#include "cafwire/wire/buffer_pool.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/error.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>

namespace cafwire::detail {

/// Decodes what has arrived for a link and delivers it, in order, in the threads of CAF's
/// scheduler. So the thread of the event loop only moves bytes, large messages do not hold up
/// other connections, and an actor finds its messages in the caches of the thread that it runs in.
///
/// `push`, `finish` and `close` are thread-safe.
class link_reader final : public compat::job {
public:
  link_reader(caf::actor_system& sys, link_ptr what, std::shared_ptr<link_engine> engine);

  ~link_reader() override;

  /// Takes whole frames. A few small messages are handled at once if nothing else waits, which
  /// saves waking another thread.
  /// @returns whether the engine may read on. If not, `link_engine::resume_input` will be called,
  ///          once.
  bool push(output_buffer frames);

  /// Announces that no more frames follow, and why. The engine is asked to end when all have been
  /// handled.
  void finish(ec reason);

  /// Stops and closes the link. When this function returns, nothing is being received any more.
  void close(const caf::error& reason);

  /// Returns an empty buffer, if possible one with memory.
  output_buffer spare_buffer() {
    return pool_->acquire();
  }

  /// Lets go of remote actors that nobody on this node knows any longer: now, or with the next
  /// turn.
  /// For the thread of the event loop.
  /// @returns whether there are remote actors left.
  bool release_actors();

  /// Frees buffers that are not in use.
  void release_memory();

protected:
  bool run(compat::context& where) override;

private:
  /// Handles some of the records that wait, and tells the engine if the input has ended.
  /// @param where the thread for the receivers, or `nullptr` for any.
  /// @returns whether there is more to do.
  bool take_turn(compat::context* where);

  /// Handles some of the records that wait.
  ec receive_some();

  /// Turns to the next frame.
  /// @returns its size.
  /// @pre `rest_` is not empty
  size_t next_frame(ec& code);

  /// Turns to the next buffer.
  /// @returns whether there is one.
  bool next_buffer();

  caf::actor_system& system_;
  link_ptr link_;
  std::shared_ptr<link_engine> engine_;
  /// Lives as long as buffers of it do.
  std::shared_ptr<buffer_pool> pool_;

  std::atomic<bool> releases_actors_{false};
  /// Belongs to the thread of the event loop.
  size_t skipped_calls_ = 0;

  // -- guarded by `queue_mutex_` ------------------------------------------------------------------

  std::mutex queue_mutex_;
  std::deque<output_buffer> waiting_;
  size_t waiting_bytes_ = 0;
  /// The engine has been told to stop reading, and not yet to go on.
  bool paused_ = false;
  /// Scheduled or running.
  bool active_ = false;
  ec end_ = ec::none;

  // -- guarded by `run_mutex_`, which comes first -------------------------------------------------

  std::mutex run_mutex_;
  bool closed_ = false;
  /// Shared with views of received messages.
  shared_bytes current_;
  /// What has not been handled of `current_`.
  std::span<const std::byte> rest_;
  compat::deferring_context context_;
};

using link_reader_ptr = caf::intrusive_ptr<link_reader>;

} // namespace cafwire::detail
