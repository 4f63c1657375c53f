// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/shared_key.hpp"

#include <openssl/crypto.h>

namespace cafwire {

namespace {

struct clear_and_delete {
  void operator()(std::vector<std::byte>* bytes) const noexcept {
    OPENSSL_cleanse(bytes->data(), bytes->size());
    delete bytes;
  }
};

} // namespace

shared_key::shared_key(std::span<const std::byte> bytes)
  : bytes_(new std::vector<std::byte>(bytes.begin(), bytes.end()), clear_and_delete{}) {
  // nop
}

shared_key::shared_key(std::string_view bytes) : shared_key(std::as_bytes(std::span{bytes})) {
  // nop
}

} // namespace cafwire
