// This file is part of cafwire. See the file LICENSE for license terms.

// The records that a link sends, in the frames that are open for them.

#include "cafwire/link/link.hpp"

#include "cafwire/codec.hpp"
#include "cafwire/link/proxy.hpp"
#include "cafwire/link/unlocked_handles.hpp"
#include "cafwire/wire/append.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cafwire::detail {

namespace {

/// A reason with more details than that arrives as `caf::exit_reason::unknown`.
constexpr size_t max_reason_bytes = size_t{16} << 10;

/// Appends bytes behind their number.
bool append_sized(output_buffer& out, const output_buffer& what) {
  return append_varint(out, what.size()) && out.append(what.data(), what.size());
}

} // namespace

// -- messages -------------------------------------------------------------------------------------

caf::error link::append_locked(record& rec, bool& is_large) {
  if (rec.what == nullptr)
    return append_control(rec);
  auto reason = append_message(rec, is_large);
  if (!reason.empty())
    note_failure(rec, reason);
  if (frames_.is_full())
    close_frame();
  return reason;
}

caf::error link::append_message(record& rec, bool& is_large) {
  if (!frames_.open())
    return caf::error{ec::out_of_memory};
  auto is_first = frames_.body_size() == 0;
  auto reason = encode(rec, is_large);
  if (!is_first && !reason.empty() && reason == ec::frame_too_large) {
    // It may fit into a frame of its own.
    close_frame();
    if (!frames_.open())
      return caf::error{ec::out_of_memory};
    reason = encode(rec, is_large);
  }
  return reason;
}

caf::error link::encode(record& rec, bool& is_large) {
  auto* types = rec.what->payload.types().data();
  if (types == large_types_ && types != nullptr) {
    is_large = true;
    return {};
  }
  auto& out = frames_.buffer();
  auto start = out.size();
  auto before = defined_before{*tx_};
  auto reason = caf::error{};
  if (!append_head(rec)) {
    reason = caf::error{ec::out_of_memory};
  } else {
    this_thread.encodes = true;
    auto code = tx_->write_message(out, rec.what->payload);
    this_thread.encodes = false;
    if (code != ec::none) {
      is_large = out.limit_reached();
      if (!is_large)
        reason = tx_->last_error();
    } else if (frames_.body_size() > peer_max_frame_bytes_) {
      // The definitions inside of the message will not arrive either.
      tx_->reset();
      reason = caf::error{ec::frame_too_large};
    }
  }
  if (reason.empty() && !is_large) {
    commit(rec);
    note_sent(rec, before);
  } else {
    out.truncate(start);
    roll_back(rec);
  }
  return reason;
}

caf::error link::append_encoded(record& rec, output_buffer& payload) {
  close_frame();
  if (!frames_.begin_large())
    return caf::error{ec::out_of_memory};
  auto before = defined_before{*tx_};
  if (!append_head(rec)) {
    frames_.drop();
    return caf::error{ec::out_of_memory};
  }
  if (tx_->write_head(frames_.buffer(), rec.what->payload, payload.size()) != ec::none) {
    frames_.drop();
    return tx_->last_error();
  }
  if (auto code = frames_.end_large(payload, peer_max_frame_bytes_); code != ec::none) {
    frames_.drop();
    // The definitions inside of the message will not arrive either.
    tx_->reset();
    return caf::error{code};
  }
  counters::add(sent_.frames, 1);
  commit(rec);
  note_sent(rec, before);
  return {};
}

void link::note_sent(const record& rec, defined_before before) {
  counters::add(sent_.messages, 1);
  auto saved = tx_->definition_bytes_alone(rec.what->payload.types());
  if (auto n = tx_->definitions(); n != before.definitions) {
    counters::add(sent_.definitions, n - before.definitions);
    counters::add(sent_.defining, 1);
    // A reset, or numbers that are larger, can cost a few bytes more.
    saved -= std::min(saved, tx_->definition_bytes() - before.bytes);
  }
  counters::add(sent_.saved, saved);
  // A request that goes back to the node of its source is answered there.
  if (!rec.head.id.is_request() || rec.what->sender == nullptr || rec.head.returned_source)
    return;
  pending_.add(rec.head.source, rec.what->sender, rec.head.id);
}

void link::note_failure(record& rec, const caf::error& reason) {
  counters::add(sent_.errors, 1);
  if (!rec.head.id.is_response())
    return;
  // The requester must not wait for an answer that cannot come.
  rec.replaced = std::exchange(rec.what->payload, caf::make_message(reason));
  auto is_large = false;
  std::ignore = append_message(rec, is_large);
}

// -- other records --------------------------------------------------------------------------------

caf::error link::append_control(record& rec) {
  // Who is told about the end of an actor has no use for it any longer.
  if (rec.head.op == link_op::down)
    if (auto gone = exports_.erase(rec.head.target); gone.handle != nullptr)
      rec.dropped.emplace_back(rec.head.target, std::move(gone.handle));
  add_mentions(rec);
  auto size = max_record_head_size + rec.body.size();
  if (frames_.has_open_frame() && frames_.body_size() + size > peer_max_frame_bytes_)
    close_frame();
  auto ok = frames_.open();
  if (ok) {
    auto& out = frames_.buffer();
    auto start = out.size();
    ok = append_head(rec) && out.append(rec.body.data(), rec.body.size());
    if (!ok)
      out.truncate(start);
  }
  if (!ok) {
    roll_back(rec);
    return caf::error{ec::out_of_memory};
  }
  commit(rec);
  return {};
}

void link::send_down(uint64_t key, const caf::error& reason) {
  auto rec = record{};
  rec.head.op = link_op::down;
  rec.head.target = key;
  auto handles = unlocked_handles{*this, rec};
  output_buffer encoded;
  auto code = without_exceptions([&] {
    serializer f{encoded, &handles, options_.types.get()};
    std::ignore = f.apply(reason);
    return f.code();
  });
  if (code == ec::none && encoded.size() > max_reason_bytes)
    code = ec::frame_too_large;
  if (code != ec::none) {
    handles.forget();
    encoded.clear();
    if (serialize(encoded, caf::error{caf::exit_reason::unknown}) != ec::none)
      return;
  }
  if (append_sized(rec.body, encoded))
    append(std::move(rec));
  else
    handles.forget();
}

void link::send_release(uint64_t key, uint64_t seen) {
  auto rec = record{};
  rec.head.op = link_op::release;
  rec.head.target = key;
  if (append_varint(rec.body, seen))
    append(std::move(rec));
}

// -- actors in records ----------------------------------------------------------------------------

bool link::append_head(record& rec) {
  auto& head = rec.head;
  auto& source = rec.what != nullptr ? rec.what->sender : rec.source;
  if (source != nullptr) {
    auto [key, of_peer] = key_of(source);
    head.source = key;
    head.returned_source = of_peer;
  }
  auto& out = frames_.buffer();
  if (!write_record_head(out, head))
    return false;
  if ((head.source & relayed_bit) == 0 || head.returned_source)
    return true;
  exports_.mention(head.source, source);
  output_buffer identity;
  return serialize(identity, source->nid, uint64_t{source->id()}) == ec::none
         && append_sized(out, identity);
}

void link::add_mentions(record& rec) {
  for (auto& [key, actor] : rec.mentions)
    exports_.mention(key, std::move(actor));
  rec.mentions.clear();
}

void link::commit(const record& rec) {
  ++records_sent_;
  auto& source = rec.what != nullptr ? rec.what->sender : rec.source;
  if (source != nullptr && !rec.head.returned_source && (rec.head.source & relayed_bit) == 0)
    exports_.touch(rec.head.source, source, records_sent_);
  exports_.commit(records_sent_);
}

void link::roll_back(record& rec) {
  for (auto& x : exports_.roll_back())
    rec.dropped.push_back(std::move(x));
}

std::optional<link::actor_key> link::direct_key_of(const caf::strong_actor_ptr& actor) const {
  if (actor->nid == system_.node())
    return actor_key{actor->id(), false};
  if (auto* ptr = dynamic_cast<const proxy*>(actor->get()); ptr != nullptr && ptr->owner() == this)
    return actor_key{ptr->key(), true};
  // The peer may know one of its actors through another link, or through CAF's own networking.
  if (actor->nid == peer_)
    return actor_key{actor->id(), true};
  return std::nullopt;
}

link::actor_key link::key_of(const caf::strong_actor_ptr& actor) {
  auto key = direct_key_of(actor);
  return key ? *key : actor_key{exports_.relay_key(actor), false};
}

ec link::save(serializer& f, const caf::strong_actor_ptr& handle) {
  auto key = key_of(handle);
  if (!key.of_peer)
    exports_.mention(key.key, handle);
  return write_handle(f, key, handle);
}

ec link::write_handle(serializer& f, actor_key key, const caf::strong_actor_ptr& handle) {
  auto relayed = (key.key & relayed_bit) != 0;
  auto tag = relayed ? (key.of_peer ? handle_tag::relayed_by_reader : handle_tag::relayed_by_writer)
                     : (key.of_peer ? handle_tag::of_reader : handle_tag::of_writer);
  if (!f.byte(static_cast<uint8_t>(tag)) || !f.varint(key.key & ~relayed_bit))
    return f.code();
  if (tag == handle_tag::relayed_by_writer)
    if (!f.apply(handle->nid) || !f.apply(uint64_t{handle->id()}))
      return f.code();
  return ec::none;
}

} // namespace cafwire::detail
