// This file is part of cafwire. See the file LICENSE for license terms.

// Writes messages to a file and reads them back: sessions without links. The file describes its own
// types, so a program with other type IDs could read it as well.

#include <cafwire/all.hpp>

#include <caf/actor_system.hpp>
#include <caf/message.hpp>
#include <caf/type_id.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

struct sample {
  int64_t time;
  double value;
};

template <class Inspector>
bool inspect(Inspector& f, sample& x) {
  return f.object(x).fields(f.field("time", x.time), f.field("value", x.value));
}

CAF_BEGIN_TYPE_ID_BLOCK(recorder, first_custom_type_id)
  CAF_ADD_TYPE_ID(recorder, (sample))
  CAF_ADD_TYPE_ID(recorder, (std::vector<sample>) )
CAF_END_TYPE_ID_BLOCK(recorder)

namespace {

constexpr const char* file_name = "recording.cafwire";

int fail(const char* what, const caf::error& reason) {
  std::cerr << what << ": " << to_string(reason) << '\n';
  return 1;
}

int record() {
  cafwire::serializer_session session;
  cafwire::output_buffer out;
  for (int64_t i = 0; i < 1000; ++i)
    if (session.write(out, sample{i, 0.5 * static_cast<double>(i)}) != cafwire::ec::none)
      return fail("cannot write a sample", session.last_error());
  auto batch = caf::make_message(std::string{"batch"}, std::vector<sample>(500, sample{1, 2.0}));
  if (session.write_message(out, batch) != cafwire::ec::none)
    return fail("cannot write a message", session.last_error());
  std::ofstream file{file_name, std::ios::binary};
  file.write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(out.size()));
  std::cout << "1001 messages in " << out.size() << " bytes, " << session.definitions()
            << " definitions\n";
  return 0;
}

int replay() {
  std::ifstream file{file_name, std::ios::binary};
  std::vector<char> content{std::istreambuf_iterator<char>{file}, {}};
  cafwire::deserializer_session session;
  cafwire::input_cursor in{std::as_bytes(std::span{content})};
  auto sum = 0.0;
  for (auto i = 0; i < 1000; ++i) {
    sample x;
    if (session.read(in, x) != cafwire::ec::none)
      return fail("cannot read a sample", session.last_error());
    sum += x.value;
  }
  caf::message batch;
  if (session.read_message(in, batch) != cafwire::ec::none)
    return fail("cannot read a message", session.last_error());
  std::cout << "sum " << sum << ", then a message with " << batch.size() << " elements\n";
  auto complete = in.at_end() && sum == 249750.0 && batch.size() == 2
                  && batch.get_as<std::vector<sample>>(1).size() == 500;
  return complete ? 0 : 1;
}

} // namespace

int main() {
  cafwire::init_global_meta_objects<caf::id_block::recorder>();
  caf::core::init_global_meta_objects();
  auto status = record();
  if (status == 0)
    status = replay();
  std::remove(file_name);
  return status;
}
