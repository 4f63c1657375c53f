// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/link.hpp"
#include "cafwire/link/link_table.hpp"

#include <caf/io/broker.hpp>
#include <caf/io/doorman.hpp>

#include <memory>

namespace cafwire::detail {

/// Accepts connections at one port and turns each into a link.
class acceptor final : public caf::io::broker {
public:
  acceptor(caf::actor_config& cfg, std::shared_ptr<link_table> links,
           std::shared_ptr<published_actor> published, caf::io::doorman_ptr doorman);

  ~acceptor() override;

protected:
  caf::behavior make_behavior() override;

private:
  std::shared_ptr<link_table> links_;
  std::shared_ptr<published_actor> published_;
  caf::io::doorman_ptr doorman_;
};

} // namespace cafwire::detail
