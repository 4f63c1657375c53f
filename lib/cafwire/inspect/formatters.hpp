// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// All formatters that come with cafwire.

#include "cafwire/inspect/default_value.hpp"
#include "cafwire/inspect/formatter/actor_handle.hpp"
#include "cafwire/inspect/formatter/adaptor.hpp"
#include "cafwire/inspect/formatter/array_view.hpp"
#include "cafwire/inspect/formatter/atomic.hpp"
#include "cafwire/inspect/formatter/bit_sequence.hpp"
#include "cafwire/inspect/formatter/config_value.hpp"
#include "cafwire/inspect/formatter/error_code.hpp"
#include "cafwire/inspect/formatter/forward_list.hpp"
#include "cafwire/inspect/formatter/map.hpp"
#include "cafwire/inspect/formatter/message.hpp"
#include "cafwire/inspect/formatter/path.hpp"
#include "cafwire/inspect/formatter/product.hpp"
#include "cafwire/inspect/formatter/scalar.hpp"
#include "cafwire/inspect/formatter/sequence.hpp"
#include "cafwire/inspect/formatter/set.hpp"
#include "cafwire/inspect/formatter/shared_ptr.hpp"
#include "cafwire/inspect/formatter/string.hpp"
#include "cafwire/inspect/formatter/sum.hpp"
#include "cafwire/inspect/formatter/unique_ptr.hpp"
#include "cafwire/inspect/formatter/uri.hpp"
#include "cafwire/inspect/formatter/valarray.hpp"
