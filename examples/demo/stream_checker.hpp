// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dataset.hpp"

#include <string_view>

namespace demo {

/// Compares received records, field by field, with the records of the data
/// files. The sender goes through the files in order and starts over at their
/// end, so the checker knows which record has to come next; a list must hold
/// the whole file.
class stream_checker {
public:
  /// @param expected The records of the data files; must outlive the checker.
  explicit stream_checker(const dataset& expected);

  /// Forgets what was received: the next record is the first one of its file.
  void begin();

  void check(const flight& x);

  void check(const airport& x);

  void check(const flight_list& xs);

  void check(const airport_list& xs);

  /// What was found since the last call to `begin`.
  [[nodiscard]] const stream_report& report() const noexcept {
    return report_;
  }

private:
  void compare(size_t record, const flight& received);

  void compare(size_t record, const airport& received);

  template <class T>
  void check_list(const std::vector<T>& received, const std::vector<T>& expected);

  template <class T>
  void compare_field(size_t record, std::string_view field, const T& received, const T& expected);

  const dataset& expected_;
  stream_report report_;
  size_t next_flight_ = 0;
  size_t next_airport_ = 0;
};

} // namespace demo
