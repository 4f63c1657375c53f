// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace cafwire::detail {

/// Answers a request with an error; ignores everything else.
inline void bounce(const caf::strong_actor_ptr& source, caf::message_id id,
                   caf::error reason = caf::error{caf::sec::request_receiver_down}) {
  if (source != nullptr && id.is_request())
    source->get()->enqueue(compat::make_element(nullptr, id.response_id(),
                                                caf::make_message(std::move(reason))),
                           nullptr);
}

} // namespace cafwire::detail
