// This file is part of cafwire. See the file LICENSE for license terms.

// Writes messages to a recording and reads them back: sessions without links. The file describes
// its own types, so a program with other type IDs reads it as well, and `cafwire-dump` prints it.

#include <cafwire/all.hpp>
#include <cafwire/recording/recording_reader.hpp>
#include <cafwire/recording/recording_writer.hpp>

#include <caf/actor_system.hpp>
#include <caf/message.hpp>
#include <caf/type_id.hpp>

#include <cstdio>
#include <iostream>
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

int fail(const char* what, const std::string& reason) {
  std::cerr << what << ": " << reason << '\n';
  return 1;
}

int record() {
  cafwire::recording_writer file;
  if (auto error = file.open(file_name))
    return fail("cannot create the file", error.message());
  cafwire::serializer_session session;
  auto stream = file.add_stream(cafwire::stream_content::session, "samples", session.types());
  cafwire::output_buffer out;
  for (int64_t i = 0; i < 1000; ++i)
    if (session.write(out, sample{i, 0.5 * static_cast<double>(i)}) != cafwire::ec::none)
      return fail("cannot write a sample", to_string(session.last_error()));
  auto batch = caf::make_message(std::string{"batch"}, std::vector<sample>(500, sample{1, 2.0}));
  if (session.write_message(out, batch) != cafwire::ec::none)
    return fail("cannot write a message", to_string(session.last_error()));
  // One piece for all messages; one for each of them would do as well.
  if (auto error = file.write(stream, cafwire::stream_direction::sent, out.bytes()))
    return fail("cannot write the file", error.message());
  std::cout << "1001 messages in " << out.size() << " bytes, " << session.definitions()
            << " definitions\n";
  return 0;
}

int replay() {
  cafwire::recording_reader file;
  if (auto error = file.open(file_name); !error.empty())
    return fail("cannot open the file", to_string(error));
  cafwire::deserializer_session session;
  auto samples = 0;
  auto sum = 0.0;
  caf::message batch;
  cafwire::recording_chunk chunk;
  while (!file.at_end()) {
    if (auto error = file.next(chunk); !error.empty())
      return fail("cannot read the file", to_string(error));
    if (chunk.kind != cafwire::chunk_kind::data)
      continue;
    for (cafwire::input_cursor in{chunk.body}; !in.at_end();) {
      sample x;
      if (session.read(in, x) == cafwire::ec::none) {
        ++samples;
        sum += x.value;
      } else if (session.status() != cafwire::read_status::other_types
                 || session.read_message(in, batch) != cafwire::ec::none) {
        return fail("cannot read a message", to_string(session.last_error()));
      }
    }
  }
  std::cout << samples << " samples, sum " << sum << ", then a message with " << batch.size()
            << " elements\n";
  auto complete = samples == 1000 && sum == 249750.0 && batch.size() == 2
                  && batch.get_as<std::vector<sample>>(1).size() == 500;
  return complete ? 0 : 1;
}

} // namespace

int main() {
  cafwire::init_global_meta_objects<caf::id_block::recorder>();
  caf::core::init_global_meta_objects();
  std::remove(file_name); // of an earlier run
  auto status = record();
  if (status == 0)
    status = replay();
  std::remove(file_name);
  return status;
}
