// This file is part of cafwire. See the file LICENSE for license terms.

// Part of every program that is built with AddressSanitizer. LeakSanitizer calls the function below.

/// What CAF 0.18.7 leaves behind when an actor system ends; programs of plain CAF do the same.
/// - The broker of stock networking, with all that it holds, if a connection ends right before the
///   system does: it tells itself about that in a message, and `abstract_broker::cleanup` leaves the
///   mailbox open, with a message in it that holds the broker.
/// - A doorman, 200 bytes, if its broker ends right before the system does.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:caf::make_actor<caf::io::basp_broker\n"
         "leak:caf::io::network::default_multiplexer::new_tcp_doorman\n";
}
