// This file is part of cafwire. See the file LICENSE for license terms.

#include "csv.hpp"

#include <fstream>
#include <stdexcept>

namespace demo {

namespace {

csv_row split(std::string_view line) {
  csv_row result(1);
  auto quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    auto c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      result.back() += line[++i]; // two quotes inside of quotes stand for one
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      result.emplace_back();
    else
      result.back() += c;
  }
  if (quoted)
    throw std::runtime_error("a quote is not closed");
  return result;
}

bool next_line(std::istream& in, std::string& line) {
  if (!std::getline(in, line))
    return false;
  if (line.ends_with('\r'))
    line.pop_back();
  return true;
}

} // namespace

void read_csv(const std::filesystem::path& path, std::string_view header,
              const std::function<void(const csv_row&)>& f) {
  std::ifstream in{path};
  if (!in)
    throw std::runtime_error("cannot open the data file " + path.string());
  std::string line;
  if (!next_line(in, line) || line != header)
    throw std::runtime_error(path.string() + ": the first line must be '" + std::string{header}
                             + "'");
  auto cells = split(header).size();
  size_t number = 1;
  while (next_line(in, line)) {
    ++number;
    try {
      auto row = split(line);
      if (row.size() != cells)
        throw std::runtime_error(std::to_string(cells) + " cells expected, "
                                 + std::to_string(row.size()) + " found");
      f(row);
    } catch (const std::runtime_error& x) {
      throw std::runtime_error(path.string() + ", line " + std::to_string(number) + ": "
                               + x.what());
    }
  }
  if (number == 1)
    throw std::runtime_error(path.string() + ": no records");
}

} // namespace demo
