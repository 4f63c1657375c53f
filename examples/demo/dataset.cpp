// This file is part of cafwire. See the file LICENSE for license terms.

#include "dataset.hpp"

#include "csv.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>

namespace demo {

namespace {

template <class T>
T to_number(std::string_view text) {
  T result{};
  auto end = text.data() + text.size();
  auto [pos, code] = std::from_chars(text.data(), end, result);
  if (code != std::errc{} || pos != end)
    throw std::runtime_error("not a number: '" + std::string{text} + "'");
  return result;
}

airport_code to_code(std::string_view text) {
  airport_code result;
  if (text.size() != result.size())
    throw std::runtime_error("not a code of three letters: '" + std::string{text} + "'");
  std::copy(text.begin(), text.end(), result.begin());
  return result;
}

/// Turns `YYYY/MM/DD hh:mm` into minutes since 1970.
int32_t to_minutes(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != 16 || text[4] != '/' || text[7] != '/' || text[10] != ' ' || text[13] != ':')
    throw std::runtime_error("not a date and time: '" + std::string{text} + "'");
  auto part = [text](size_t pos, size_t len) { return to_number<int>(text.substr(pos, len)); };
  auto date = year{part(0, 4)} / part(5, 2) / part(8, 2);
  auto time = hours{part(11, 2)} + minutes{part(14, 2)};
  if (!date.ok() || time >= hours{24})
    throw std::runtime_error("no such date and time: '" + std::string{text} + "'");
  return static_cast<int32_t>(minutes{sys_days{date}.time_since_epoch() + time}.count());
}

flight to_flight(const csv_row& row) {
  flight result;
  result.departure = to_minutes(row[0]);
  result.delay = to_number<int16_t>(row[1]);
  result.distance = to_number<int32_t>(row[2]);
  result.origin = to_code(row[3]);
  result.destination = to_code(row[4]);
  return result;
}

airport to_airport(const csv_row& row) {
  return {
    row[0], row[1], row[2], row[3], row[4], to_number<double>(row[5]), to_number<double>(row[6])};
}

} // namespace

dataset load_dataset(const std::filesystem::path& dir) {
  dataset result;
  read_csv(dir / "flights.csv", "date,delay,distance,origin,destination",
           [&result](const csv_row& row) { result.flights.push_back(to_flight(row)); });
  read_csv(dir / "airports.csv", "iata,name,city,state,country,latitude,longitude",
           [&result](const csv_row& row) { result.airports.push_back(to_airport(row)); });
  return result;
}

size_t record_bytes(const flight&) {
  return sizeof(flight);
}

size_t record_bytes(const airport& x) {
  return x.code.size() + x.name.size() + x.city.size() + x.state.size() + x.country.size()
         + sizeof(x.latitude) + sizeof(x.longitude);
}

} // namespace demo
