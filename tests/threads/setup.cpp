// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/session_listener.hpp"

#include <catch2/reporters/catch_reporter_registrars.hpp>

CATCH_REGISTER_LISTENER(session_test::session_listener)
