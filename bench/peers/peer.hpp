// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <string>
#include <vector>

namespace cafwire::bench {

struct codec_workloads;

struct round_values;

/// Another serializer, as one contender of every workload that makes sense for it. Each is used as
/// its own documentation recommends for speed.
struct peer {
  const char* name;

  std::string version;

  /// Adds the benchmarks of `codec_bench`.
  void (*add_codec)(const codec_workloads&);

  /// Adds those of `stream_bench`.
  void (*add_stream)(const std::vector<round_values>&);
};

/// Returns the peers that this build knows: those whose headers were found.
std::vector<peer>& peers();

/// Adds a peer when the program starts: the peers are object files that the programs link, and
/// nothing else names them.
bool add_peer(peer x);

} // namespace cafwire::bench
