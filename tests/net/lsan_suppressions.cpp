// This file is part of cafwire. See the file LICENSE for license terms.

// Read by LeakSanitizer where the tests are built with it.

/// CAF 0.18.7 leaves a doorman behind, 200 bytes, if its broker ends right before the actor system
/// does; a program of plain CAF that does so shows it nearly every time. Nothing else is tolerated.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:caf::io::network::default_multiplexer::new_tcp_doorman\n";
}
