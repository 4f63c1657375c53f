// This file is part of cafwire. See the file LICENSE for license terms.

#include "table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace demo {

namespace {

using table_row = std::array<std::string, 7>;

double median(std::vector<double> xs) {
  std::sort(xs.begin(), xs.end());
  auto middle = xs.size() / 2;
  return xs.size() % 2 == 1 ? xs[middle] : (xs[middle - 1] + xs[middle]) / 2;
}

std::string fixed(double x, int digits) {
  char buf[64];
  std::snprintf(buf, sizeof(buf), "%.*f", digits, x);
  return buf;
}

/// Rounds to a whole number and separates its thousands.
std::string whole(double x) {
  auto result = fixed(x, 0);
  for (auto i = static_cast<ptrdiff_t>(result.size()) - 3; i > 0; i -= 3)
    result.insert(static_cast<size_t>(i), 1, ',');
  return result;
}

/// At least three significant digits.
std::string short_number(double x) {
  return x < 10 ? fixed(x, 2) : x < 100 ? fixed(x, 1) : whole(x);
}

std::string ratio(double x, double y) {
  return short_number(x / y) + " x";
}

table_row make_row(const table_entry& entry, transport how, const measurement& x) {
  auto rate = static_cast<double>(entry.messages) / median(x.seconds);
  return {how == transport::cafwire ? entry.name : "",
          to_string(how),
          whole(static_cast<double>(entry.messages * x.seconds.size())),
          whole(x.bytes.first),
          x.bytes.steady < 1000 ? fixed(x.bytes.steady, 1) : whole(x.bytes.steady),
          whole(rate),
          short_number(rate * entry.record_bytes / 1e6)};
}

table_row make_ratio_row(const table_entry& entry) {
  auto speed = ratio(median(entry.stock.seconds), median(entry.cafwire.seconds));
  return {"",
          "ratio",
          "",
          ratio(entry.cafwire.bytes.first, entry.stock.bytes.first),
          ratio(entry.cafwire.bytes.steady, entry.stock.bytes.steady),
          speed,
          speed};
}

/// The first two columns hold text, the others numbers, aligned on the right.
constexpr size_t text_columns = 2;

} // namespace

std::string render(const std::vector<table_entry>& entries) {
  std::vector<table_row> rows;
  rows.push_back(
    {"traffic", "over", "messages", "bytes, first", "bytes, steady", "messages/s", "MB/s"});
  for (const auto& x : entries) {
    rows.push_back(make_row(x, transport::cafwire, x.cafwire));
    rows.push_back(make_row(x, transport::stock, x.stock));
    rows.push_back(make_ratio_row(x));
  }
  std::array<size_t, std::tuple_size_v<table_row>> widths{};
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string result;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      auto padding = std::string(widths[i] - row[i].size(), ' ');
      result += i < text_columns ? "| " + row[i] + padding + ' ' : "| " + padding + row[i] + ' ';
    }
    result += "|\n";
    if (&row == &rows.front()) {
      for (size_t i = 0; i < row.size(); ++i)
        result += i < text_columns ? '|' + std::string(widths[i] + 2, '-')
                                   : '|' + std::string(widths[i] + 1, '-') + ':';
      result += "|\n";
    }
  }
  return result;
}

} // namespace demo
