// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dump/listener.hpp"
#include "dump/stream_decoder.hpp"

#include <functional>
#include <string>

namespace cafwire::dump {

/// Reads a recording from begin to end.
/// @param resync whether to go on behind damage.
/// @param on_damage called for everything that is wrong with the file or its streams.
/// @returns whether the recording was whole and made sense.
bool walk_recording(const std::string& path, listener& out, bool resync,
                    const std::function<void(const std::string&)>& on_damage);

} // namespace cafwire::dump
