// This file is part of cafwire. See the file LICENSE for license terms.

/// @file
/// The records and the messages of the demo: plain structs with ordinary CAF
/// `inspect` overloads, and the type-id block that names them.

#pragma once

#include <caf/inspector_access.hpp>
#include <caf/type_id.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace demo {

/// The three letters of an airport, without a terminating zero.
using airport_code = std::array<char, 3>;

/// One flight. All fields have a fixed size and stand in memory in the order
/// in which `inspect` visits them, without padding: cafwire can copy a flight,
/// and a vector of flights, as one block.
struct flight {
  int32_t departure = 0; ///< Minutes since 1970-01-01 00:00, local time.
  int32_t distance = 0;  ///< Miles.
  int16_t delay = 0;     ///< Minutes; negative if the flight was early.
  airport_code origin{};
  airport_code destination{};
};

static_assert(sizeof(flight) == 4 + 4 + 2 + 3 + 3, "flight must have no padding");

template <class Inspector>
bool inspect(Inspector& f, flight& x) {
  return f.object(x).fields(f.field("departure", x.departure), //
                            f.field("distance", x.distance),   //
                            f.field("delay", x.delay),         //
                            f.field("origin", x.origin),       //
                            f.field("destination", x.destination));
}

/// One airport: mostly text, so that it has no fixed size.
struct airport {
  std::string code; ///< Three or four letters and digits.
  std::string name;
  std::string city;
  std::string state;
  std::string country;
  double latitude = 0;  ///< Degrees, north is positive.
  double longitude = 0; ///< Degrees, east is positive.
};

template <class Inspector>
bool inspect(Inspector& f, airport& x) {
  return f.object(x).fields(f.field("code", x.code),         //
                            f.field("name", x.name),         //
                            f.field("city", x.city),         //
                            f.field("state", x.state),       //
                            f.field("country", x.country),   //
                            f.field("latitude", x.latitude), //
                            f.field("longitude", x.longitude));
}

using flight_list = std::vector<flight>;
using airport_list = std::vector<airport>;
using mean_delays = std::map<std::string, double>;

/// A field that did not arrive as it should have.
struct mismatch {
  uint64_t message = 0; ///< Number of the message in its stream, from 0.
  uint64_t record = 0;  ///< Number of the record in the data file, from 0.
  std::string field;
  std::string expected;
  std::string received;
};

template <class Inspector>
bool inspect(Inspector& f, mismatch& x) {
  return f.object(x).fields(f.field("message", x.message),   //
                            f.field("record", x.record),     //
                            f.field("field", x.field),       //
                            f.field("expected", x.expected), //
                            f.field("received", x.received));
}

/// What the receiver found since it was last told to begin.
struct stream_report {
  uint64_t messages = 0;          ///< Handled messages of the stream.
  uint64_t records = 0;           ///< Compared records inside of them.
  uint64_t mismatch_count = 0;    ///< Fields and sizes that were wrong.
  std::vector<mismatch> examples; ///< The first few of the mismatches.
};

template <class Inspector>
bool inspect(Inspector& f, stream_report& x) {
  return f.object(x).fields(f.field("messages", x.messages),             //
                            f.field("records", x.records),               //
                            f.field("mismatch_count", x.mismatch_count), //
                            f.field("examples", x.examples));
}

} // namespace demo

CAF_BEGIN_TYPE_ID_BLOCK(demo, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(demo, (demo::flight))
  CAF_ADD_TYPE_ID(demo, (demo::flight_list))
  CAF_ADD_TYPE_ID(demo, (demo::airport))
  CAF_ADD_TYPE_ID(demo, (demo::airport_list))
  CAF_ADD_TYPE_ID(demo, (demo::mean_delays))
  CAF_ADD_TYPE_ID(demo, (demo::mismatch))
  CAF_ADD_TYPE_ID(demo, (std::vector<demo::mismatch>) )
  CAF_ADD_TYPE_ID(demo, (demo::stream_report))
  CAF_ADD_ATOM(demo, demo, begin_atom)
  CAF_ADD_ATOM(demo, demo, fence_atom)
  CAF_ADD_ATOM(demo, demo, report_atom)
  CAF_ADD_ATOM(demo, demo, store_atom)
  CAF_ADD_ATOM(demo, demo, mean_delays_atom)
  CAF_ADD_ATOM(demo, demo, longest_flight_atom)
  CAF_ADD_ATOM(demo, demo, airport_count_atom)

CAF_END_TYPE_ID_BLOCK(demo)
