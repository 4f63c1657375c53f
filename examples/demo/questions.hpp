// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dataset.hpp"

#include <caf/actor.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace demo {

/// The requests of the demo, with the answers that have to come.
class questions {
public:
  /// @param data Must outlive the questions.
  explicit questions(const dataset& data);

  /// Gives `dst` the records that the questions are about.
  /// @throws std::runtime_error if `dst` does not get all of them.
  void store(caf::scoped_actor& self, const caf::actor& dst) const;

  /// Asks one of each kind: mean delays (a map), the longest flight (a record),
  /// the airports of a state that does not exist (an error).
  /// @throws std::runtime_error if an answer is wrong.
  void ask_each(caf::scoped_actor& self, const caf::actor& dst) const;

  /// Asks `count` times for the number of airports in a state, one state after
  /// the other, each after the response to the one before. Returns the seconds.
  /// @throws std::runtime_error if an answer is wrong.
  double ask_airport_counts(caf::scoped_actor& self, const caf::actor& dst, size_t count) const;

  /// Mean bytes of question and answer: the name of a state, and a number.
  [[nodiscard]] double record_bytes() const;

private:
  const dataset& data_;
  std::vector<std::pair<std::string, uint64_t>> airport_counts_;
};

} // namespace demo
