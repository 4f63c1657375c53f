// This file is part of cafwire. See the file LICENSE for license terms.

// Prints recordings. See docs/recordings.md.

#include "dump/annotator.hpp"
#include "dump/json_printer.hpp"
#include "dump/recording_walk.hpp"
#include "dump/statistics.hpp"

#include <cafwire/init_global_meta_objects.hpp>

#include <caf/init_global_meta_objects.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

namespace {

using namespace cafwire::dump;

/// Counts messages that cannot be decoded.
class checker : public listener {
public:
  void on_message(const place& where, const found_message& msg) override {
    auto error = cafwire::dump::check(msg);
    if (error.empty())
      return;
    ok_ = false;
    std::cerr << "cafwire-dump: offset " << where.offset
              << ": a message cannot be decoded: " << error << '\n';
  }

  bool ok() const noexcept {
    return ok_;
  }

private:
  bool ok_ = true;
};

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Prints what a recording of cafwire holds, one JSON object per line, without the "
               "program that made it."};
  std::string path;
  auto annotate = false;
  auto check = false;
  auto stats = false;
  auto messages = false;
  auto resync = false;
  app.add_option("file", path, "the recording")->required();
  auto* modes = app.add_option_group("modes");
  modes->add_flag("--annotate", annotate, "print all bytes and what they mean");
  modes->add_flag("--check", check, "print nothing but what is wrong");
  modes->add_flag("--stats", stats, "print how many messages and bytes there are, by types");
  modes->add_flag("--messages", messages, "print messages only");
  modes->require_option(0, 1);
  app.add_flag("--resync", resync, "go on behind damage");
  app.footer("Exit code: 0 if the recording is whole and makes sense, 1 otherwise, 2 if the "
             "arguments make no sense.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& x) {
    return app.exit(x) == 0 ? 0 : 2;
  }
  cafwire::detail::init_own_meta_objects();
  caf::core::init_global_meta_objects();
  std::ios::sync_with_stdio(false);
  auto on_damage = [&](const std::string& text) {
    std::cout.flush();
    std::cerr << "cafwire-dump: " << path << ": " << text << '\n';
  };
  auto walk = [&](listener& out) { return walk_recording(path, out, resync, on_damage); };
  auto ok = false;
  if (annotate) {
    annotator out{std::cout};
    ok = walk(out);
  } else if (check) {
    checker out;
    ok = walk(out) && out.ok();
  } else if (stats) {
    statistics out;
    ok = walk(out);
    out.print(std::cout);
  } else {
    json_printer out{std::cout, messages};
    ok = walk(out) && out.errors() == 0;
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "cafwire-dump: cannot write the output\n";
    ok = false;
  }
  return ok ? 0 : 1;
}
