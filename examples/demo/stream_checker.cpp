// This file is part of cafwire. See the file LICENSE for license terms.

#include "stream_checker.hpp"

#include <algorithm>
#include <cstdio>

namespace demo {

namespace {

/// A report names so many mismatches; beyond that it only counts them.
constexpr size_t max_examples = 8;

std::string to_text(const std::string& x) {
  return '"' + x + '"';
}

std::string to_text(const airport_code& x) {
  return to_text(std::string(x.data(), x.size()));
}

std::string to_text(double x) {
  char buf[32];
  std::snprintf(buf, sizeof(buf), "%.17g", x); // enough digits to tell any two doubles apart
  return buf;
}

template <class T>
std::string to_text(T x) {
  return std::to_string(x);
}

} // namespace

stream_checker::stream_checker(const dataset& expected) : expected_(expected) {
  // nop
}

void stream_checker::begin() {
  report_ = stream_report{};
  next_flight_ = 0;
  next_airport_ = 0;
}

void stream_checker::check(const flight& x) {
  compare(next_flight_, x);
  if (++next_flight_ == expected_.flights.size())
    next_flight_ = 0;
  ++report_.messages;
}

void stream_checker::check(const airport& x) {
  compare(next_airport_, x);
  if (++next_airport_ == expected_.airports.size())
    next_airport_ = 0;
  ++report_.messages;
}

void stream_checker::check(const flight_list& xs) {
  check_list(xs, expected_.flights);
}

void stream_checker::check(const airport_list& xs) {
  check_list(xs, expected_.airports);
}

void stream_checker::compare(size_t record, const flight& received) {
  const auto& expected = expected_.flights[record];
  compare_field(record, "departure", received.departure, expected.departure);
  compare_field(record, "distance", received.distance, expected.distance);
  compare_field(record, "delay", received.delay, expected.delay);
  compare_field(record, "origin", received.origin, expected.origin);
  compare_field(record, "destination", received.destination, expected.destination);
  ++report_.records;
}

void stream_checker::compare(size_t record, const airport& received) {
  const auto& expected = expected_.airports[record];
  compare_field(record, "code", received.code, expected.code);
  compare_field(record, "name", received.name, expected.name);
  compare_field(record, "city", received.city, expected.city);
  compare_field(record, "state", received.state, expected.state);
  compare_field(record, "country", received.country, expected.country);
  compare_field(record, "latitude", received.latitude, expected.latitude);
  compare_field(record, "longitude", received.longitude, expected.longitude);
  ++report_.records;
}

template <class T>
void stream_checker::check_list(const std::vector<T>& received, const std::vector<T>& expected) {
  auto common = std::min(received.size(), expected.size());
  compare_field(common, "size of the list", received.size(), expected.size());
  for (size_t i = 0; i < common; ++i)
    compare(i, received[i]);
  ++report_.messages;
}

template <class T>
void stream_checker::compare_field(size_t record, std::string_view field, const T& received,
                                   const T& expected) {
  if (received == expected)
    return;
  ++report_.mismatch_count;
  if (report_.examples.size() < max_examples)
    report_.examples.push_back(
      {report_.messages, record, std::string{field}, to_text(expected), to_text(received)});
}

} // namespace demo
