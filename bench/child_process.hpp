// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cafwire::bench {

/// A second process that runs this program with other arguments. Owns the process: it ends when
/// this object is destroyed, and also when the parent dies in any other way.
class child_process {
public:
  /// Starts the child. Throws `std::system_error` if that is not possible.
  explicit child_process(std::vector<std::string> args);

  child_process(const child_process&) = delete;

  child_process& operator=(const child_process&) = delete;

  /// Closes the standard input of the child, which asks it to end, and kills it if it does not do
  /// so within five seconds.
  ~child_process();

  /// Reads the port that the child announced with `announce_port`. Blocks until the child did so;
  /// throws `std::runtime_error` if it ended first.
  uint16_t read_port();

  /// Returns how much CPU time all threads of the child have used, in seconds.
  double cpu_seconds() const;

private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

/// Returns how much CPU time all threads of this process have used, in seconds.
double own_cpu_seconds();

/// Tells the parent process on which port this process listens.
void announce_port(uint16_t port);

/// Makes the kernel end this process when its parent dies.
void end_with_parent();

/// Blocks until the parent asks this process to end.
void wait_for_parent();

/// Ends the program with a message on the standard error stream unless it is destroyed in time. One
/// at a time.
class deadline {
public:
  /// @param what static string that names what takes so long.
  deadline(const char* what, unsigned seconds);

  deadline(const deadline&) = delete;

  deadline& operator=(const deadline&) = delete;

  ~deadline();
};

} // namespace cafwire::bench
