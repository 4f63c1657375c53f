// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"
#include "cafwire/evolution/aliases.hpp"
#include "cafwire/init_global_meta_objects.hpp"
#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/handle_codec.hpp"
#include "cafwire/inspect/serializer.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/raw_message.hpp"
#include "cafwire/session/deserializer_session.hpp"
#include "cafwire/session/frame.hpp"
#include "cafwire/session/serializer_session.hpp"
#include "cafwire/wire/array_view.hpp"
#include "cafwire/wire/buffer_pool.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"
