// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/evolution/flat_program.hpp"

#include <algorithm>
#include <cstring>

namespace cafwire::evolution {

namespace {

template <size_t Size>
void copy_row(number_row<const std::byte> in, number_row<std::byte> out, size_t n) {
  for (size_t i = 0; i < n; ++i)
    std::memcpy(out.first + i * out.stride, in.first + i * in.stride, Size);
}

/// Sizes that are known make copies of one or two instructions.
void copy_row(number_row<const std::byte> in, number_row<std::byte> out, size_t size, size_t n) {
  switch (size) {
    case 1:
      return copy_row<1>(in, out, n);
    case 2:
      return copy_row<2>(in, out, n);
    case 4:
      return copy_row<4>(in, out, n);
    case 8:
      return copy_row<8>(in, out, n);
    case 12:
      return copy_row<12>(in, out, n);
    case 16:
      return copy_row<16>(in, out, n);
    case 24:
      return copy_row<24>(in, out, n);
    case 32:
      return copy_row<32>(in, out, n);
    default:
      for (size_t i = 0; i < n; ++i)
        std::memcpy(out.first + i * out.stride, in.first + i * in.stride, size);
  }
}

} // namespace

void flat_program::copy(size_t in, size_t out, size_t size) {
  if (size == 0)
    return;
  if (!steps.empty()) {
    auto& last = steps.back();
    if (last.what == flat_step::action::copy && last.in + last.size == in
        && last.out + last.size == out) {
      last.size += size;
      return;
    }
  }
  auto& step = steps.emplace_back();
  step.in = in;
  step.out = out;
  step.size = size;
}

void flat_program::constant(const std::byte* bytes, size_t out, size_t size) {
  if (size == 0)
    return;
  if (!steps.empty()) {
    auto& last = steps.back();
    if (last.what == flat_step::action::constant && last.out + last.size == out) {
      constants.insert(constants.end(), bytes, bytes + size);
      last.size += size;
      return;
    }
  }
  auto& step = steps.emplace_back();
  step.what = flat_step::action::constant;
  step.in = constants.size();
  step.out = out;
  step.size = size;
  constants.insert(constants.end(), bytes, bytes + size);
}

const flat_step* flat_program::run(const std::byte* in, std::byte* out, size_t n) const {
  if (is_copy()) {
    if (n * in_size > 0)
      std::memcpy(out, in, n * in_size);
    return nullptr;
  }
  // Small enough for input and output to stay in the cache from one step to the next.
  constexpr size_t block_bytes = 8192;
  auto block = std::max<size_t>(1, block_bytes / std::max<size_t>(1, in_size + out_size));
  while (n > 0) {
    auto m = std::min(n, block);
    for (auto& step : steps) {
      auto from = number_row<const std::byte>{in + step.in, in_size};
      auto to = number_row<std::byte>{out + step.out, out_size};
      auto done = m;
      switch (step.what) {
        case flat_step::action::copy:
          copy_row(from, to, step.size, m);
          break;
        case flat_step::action::constant:
          copy_row({constants.data() + step.in, 0}, to, step.size, m);
          break;
        case flat_step::action::convert:
          done = step.convert(from, to, m);
          break;
        case flat_step::action::convert_ticks:
          done = step.ticks(from, to, m);
          break;
      }
      if (done != m)
        return &step;
    }
    n -= m;
    in += m * in_size;
    out += m * out_size;
  }
  return nullptr;
}

} // namespace cafwire::evolution
