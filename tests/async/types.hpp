// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/init_global_meta_objects.hpp"
#include "cafwire/wire/array_view.hpp"

#include <caf/type_id.hpp>

#include <future>
#include <string>
#include <type_traits>
#include <vector>

namespace async_test {

struct book {
  std::string title;
  std::vector<std::string> lines;

  friend bool operator==(const book&, const book&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, book& x) {
  return f.object(x).fields(f.field("title", x.title), f.field("lines", x.lines));
}

using numbers = cafwire::array_view<double>;

/// Cannot be encoded.
struct broken {
  std::string text;
};

template <class Inspector>
bool inspect(Inspector& f, broken& x) {
  return f.object(x).on_save([] { return false; }).fields(f.field("text", x.text));
}

/// Opens once.
class gate {
public:
  void open() {
    promise_.set_value();
  }

  void wait() {
    promise_.get_future().wait();
  }

private:
  std::promise<void> promise_;
};

/// Tells when it is encoded, and waits until it may go on.
struct slow {
  gate* reached = nullptr;
  gate* opened = nullptr;
};

template <class Inspector>
bool inspect(Inspector& f, slow& x) {
  auto wait = [&x] {
    if (x.reached != nullptr) {
      x.reached->open();
      x.opened->wait();
    }
    return true;
  };
  return f.object(x).on_save(wait).fields();
}

} // namespace async_test

CAF_BEGIN_TYPE_ID_BLOCK(async_test, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(async_test, (async_test::book))
  CAF_ADD_TYPE_ID(async_test, (async_test::numbers))

CAF_END_TYPE_ID_BLOCK(async_test)
