// This file is part of cafwire. See the file LICENSE for license terms.

// Some tests ask for impossible amounts of memory. AddressSanitizer must then do what `malloc`
// does, and not end the program.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
