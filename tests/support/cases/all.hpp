// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// The kinds of structs that the fast path is tested with.

#include "support/cases/blittable.hpp"
#include "support/cases/computed.hpp"
#include "support/cases/judged.hpp"
#include "support/cases/padded.hpp"
#include "support/cases/reordered.hpp"
