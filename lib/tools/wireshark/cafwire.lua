-- This file is part of cafwire. See the file LICENSE for license terms.

-- Shows links of cafwire in Wireshark and tshark: frames, handshakes, records, definitions, and which
-- types messages have. See docs/recordings.md. A link is found by its handshake, at any port. What
-- stands here about bytes is in docs/wire-format.md.

local cafwire = Proto("cafwire", "cafwire link")

local kinds = {[1] = "handshake", [2] = "records", [3] = "authentication"}
local roles = {[1] = "connecting", [2] = "accepting"}
local operations = {[1] = "message", [2] = "monitor", [3] = "down", [4] = "link", [5] = "unlink",
                    [6] = "release"}
local priorities = {[0] = "high", [1] = "normal"}

local HEADER = 16
local FIRST_SLOT = 512
local MAX_FRAME = 64 * 1024 * 1024
local LONG_RUN = 256
local CHALLENGE = 54
local PROOF = 33

local f = {
  body_size = ProtoField.uint32("cafwire.body_size", "Size of the body", base.DEC),
  kind = ProtoField.uint8("cafwire.kind", "Kind", base.DEC, kinds),
  epoch = ProtoField.uint32("cafwire.epoch", "Epoch (low half)", base.HEX),
  sequence = ProtoField.uint32("cafwire.sequence", "Number of the frame", base.DEC),
  min_version = ProtoField.uint16("cafwire.handshake.min_version", "Oldest version"),
  max_version = ProtoField.uint16("cafwire.handshake.max_version", "Newest version"),
  full_epoch = ProtoField.uint64("cafwire.handshake.epoch", "Epoch", base.HEX),
  registry_hash = ProtoField.uint64("cafwire.handshake.registry_hash", "Hash of the registry",
                                    base.HEX),
  max_frame = ProtoField.uint64("cafwire.handshake.max_frame_bytes", "Largest frame", base.DEC),
  node = ProtoField.bytes("cafwire.handshake.node", "Node"),
  published = ProtoField.uint64("cafwire.handshake.published", "Published actor", base.DEC),
  interface = ProtoField.string("cafwire.handshake.interface", "Interface"),
  services = ProtoField.uint64("cafwire.handshake.services", "Actor that offers services", base.DEC),
  role = ProtoField.uint8("cafwire.authentication.role", "Role", base.DEC, roles),
  random = ProtoField.bytes("cafwire.authentication.random", "Random bytes"),
  mac = ProtoField.bytes("cafwire.authentication.mac", "Proof"),
  record = ProtoField.string("cafwire.record", "Record"),
  op = ProtoField.uint8("cafwire.record.op", "Operation", base.DEC, operations, 0x07),
  target = ProtoField.uint64("cafwire.record.target", "Target", base.DEC),
  source = ProtoField.uint64("cafwire.record.source", "Source", base.DEC),
  returned = ProtoField.bool("cafwire.record.returned", "Source lives on the node of the receiver"),
  relayed_target = ProtoField.bool("cafwire.record.relayed_target",
                                   "Target lives on a third node"),
  relayed_source = ProtoField.bool("cafwire.record.relayed_source",
                                   "Source lives on a third node"),
  source_node = ProtoField.bytes("cafwire.record.source_node", "Node of the source"),
  source_id = ProtoField.uint64("cafwire.record.source_id", "ID of the source there", base.DEC),
  seen = ProtoField.uint64("cafwire.record.seen", "Records received", base.DEC),
  request = ProtoField.uint64("cafwire.record.request", "Number of the request", base.DEC),
  response = ProtoField.bool("cafwire.record.response", "Response"),
  priority = ProtoField.uint8("cafwire.record.priority", "Priority", base.DEC, priorities),
  reason = ProtoField.bytes("cafwire.record.reason", "Exit reason"),
  type_slot = ProtoField.uint32("cafwire.type.slot", "Slot", base.DEC),
  type_name = ProtoField.string("cafwire.type.name", "Name"),
  fingerprint = ProtoField.uint64("cafwire.type.fingerprint", "Fingerprint", base.HEX),
  schema = ProtoField.string("cafwire.type.schema", "Schema"),
  signature_slot = ProtoField.uint32("cafwire.signature.slot", "Slot", base.DEC),
  signature_types = ProtoField.string("cafwire.signature.types", "Types"),
  reset = ProtoField.string("cafwire.reset", "Reset"),
  signature = ProtoField.uint32("cafwire.message.signature", "Signature", base.DEC),
  types = ProtoField.string("cafwire.message.types", "Types"),
  payload = ProtoField.bytes("cafwire.message.payload", "Payload"),
}

for _, field in pairs(f) do
  table.insert(cafwire.fields, field)
end

local malformed = ProtoExpert.new("cafwire.malformed", "Malformed", expert.group.MALFORMED,
                                  expert.severity.ERROR)
local out_of_order = ProtoExpert.new("cafwire.out_of_order", "A frame is missing or repeated",
                                     expert.group.SEQUENCE, expert.severity.WARN)
cafwire.experts = {malformed, out_of_order}

local core_names = {
  "bool", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
  "float", "double", "ldouble", "std::string", "std::u16string", "std::u32string",
  "std::set<std::string>", "caf::actor", "caf::actor_addr", "caf::strong_actor_ptr",
  "caf::weak_actor_ptr", "caf::byte_buffer", "caf::config_value", "caf::settings", "caf::down_msg",
  "caf::error", "caf::exit_msg", "caf::exit_reason", "caf::hashed_node_id", "caf::ipv4_address",
  "caf::ipv4_endpoint", "caf::ipv4_subnet", "caf::ipv6_address", "caf::ipv6_endpoint",
  "caf::ipv6_subnet", "caf::message", "caf::message_id", "caf::node_down_msg", "caf::node_id",
  "caf::none_t", "caf::pec", "caf::sec", "caf::timespan", "caf::timestamp", "caf::unit_t",
  "caf::uri", "std::vector<caf::actor>", "std::vector<caf::actor_addr>",
  "std::vector<caf::config_value>", "std::vector<caf::strong_actor_ptr>",
  "std::vector<caf::weak_actor_ptr>", "std::vector<std::pair<std::string,message>>", "cafwire::ec",
  "caf::add_atom", "caf::close_atom", "caf::connect_atom", "caf::contact_atom", "caf::delete_atom",
  "caf::demonitor_atom", "caf::div_atom", "caf::flush_atom", "caf::forward_atom", "caf::get_atom",
  "caf::idle_atom", "caf::join_atom", "caf::leave_atom", "caf::link_atom", "caf::migrate_atom",
  "caf::monitor_atom", "caf::mul_atom", "caf::ok_atom", "caf::open_atom", "caf::pending_atom",
  "caf::ping_atom", "caf::pong_atom", "caf::publish_atom", "caf::publish_udp_atom", "caf::put_atom",
  "caf::receive_atom", "caf::redirect_atom", "caf::registry_lookup_atom", "caf::reset_atom",
  "caf::resolve_atom", "caf::spawn_atom", "caf::sub_atom", "caf::subscribe_atom", "caf::sys_atom",
  "caf::tick_atom", "caf::timeout_atom", "caf::unlink_atom", "caf::unpublish_atom",
  "caf::unpublish_udp_atom", "caf::unsubscribe_atom", "caf::update_atom", "caf::wait_for_atom",
}

-- -- reading ---------------------------------------------------------------------------------------

-- A position in the body of a frame. Errors are tables, so that they can be told from those of Lua.
local Reader = {}
Reader.__index = Reader

local function new_reader(tvb, at, last)
  return setmetatable({tvb = tvb, at = at, last = last}, Reader)
end

function Reader:fail(text)
  error({text = text, at = self.at})
end

function Reader:remaining()
  return self.last - self.at
end

-- Returns the range of the next bytes.
function Reader:take(size)
  if size > self:remaining() then
    self:fail("ends early")
  end
  local result = self.tvb:range(self.at, size)
  self.at = self.at + size
  return result
end

-- Returns a varint as a number, its range, and all of its bits.
function Reader:varint()
  local start = self.at
  local number, bits, scale = 0, UInt64(0), 1
  for i = 0, 9 do
    local byte = self:take(1):uint()
    local low = byte % 128
    number = number + low * scale
    scale = scale * 128
    bits = bits + UInt64(low):lshift(7 * i)
    if byte < 128 then
      if byte == 0 and i > 0 then
        self:fail("a varint is not in its shortest form")
      end
      return number, self.tvb:range(start, self.at - start), bits
    end
  end
  self:fail("a varint is too long")
end

-- Returns a string, and its range with the length.
function Reader:text()
  local start = self.at
  local size = self:varint()
  local content = self:take(size)
  return content:string(ENC_UTF_8), self.tvb:range(start, self.at - start)
end

-- Returns the range of the ID of a node.
function Reader:node()
  local start = self.at
  local present = self:take(1):uint()
  if present == 1 then
    local kind = self:varint()
    if kind == 0 then
      self:text()
    elseif kind == 1 then
      self:take(24)
    else
      self:fail("an unknown kind of node")
    end
  elseif present ~= 0 then
    self:fail("neither a node nor none")
  end
  return self.tvb:range(start, self.at - start)
end

-- -- sessions --------------------------------------------------------------------------------------

-- What is known of a direction, by addresses and ports. Frames keep the tables that they were read
-- with, because Wireshark reads them again, in any order.
local directions = {}
local frames_seen = {}

function cafwire.init()
  directions = {}
  frames_seen = {}
end

local function direction_of(from, from_port, to, to_port)
  local key = tostring(from) .. ":" .. from_port .. ">" .. tostring(to) .. ":" .. to_port
  if not directions[key] then
    directions[key] = {key = key, tables = {types = {}, signatures = {}}}
  end
  return directions[key]
end

local function type_name(tables, slot)
  if slot < FIRST_SLOT then
    return core_names[slot] or ("slot " .. slot)
  end
  return tables.types[slot] or ("slot " .. slot .. " (known to both sides)")
end

local function names_of(tables, slots)
  local names = {}
  for _, slot in ipairs(slots) do
    table.insert(names, type_name(tables, slot))
  end
  return table.concat(names, ", ")
end

local function read_definition(reader, tree, state, learns)
  local start = reader.at
  reader:take(1)
  local kind = reader:take(1):uint()
  if kind == 3 then
    tree:add(f.reset, reader.tvb:range(start, 2), "all definitions are forgotten")
    if learns then
      state.tables = {types = {}, signatures = {}}
    end
    return
  end
  local size = reader:varint()
  if size > reader:remaining() then
    reader:fail("a definition ends early")
  end
  local body = new_reader(reader.tvb, reader.at, reader.at + size)
  reader.at = body.last
  local range = reader.tvb:range(start, reader.at - start)
  if kind == 1 then
    local slot, slot_range = body:varint()
    local name, name_range = body:text()
    local fingerprint = body:take(8)
    local schema, schema_range = body:text()
    local sub = tree:add(cafwire, range, "Type " .. slot .. ": " .. name)
    sub:add(f.type_slot, slot_range, slot)
    sub:add(f.type_name, name_range, name)
    sub:add_le(f.fingerprint, fingerprint)
    sub:add(f.schema, schema_range, schema)
    if learns then
      state.tables.types[slot] = name
    end
  elseif kind == 2 then
    local slot, slot_range = body:varint()
    local count = body:varint()
    local slots = {}
    for _ = 1, count do
      table.insert(slots, (body:varint()))
    end
    local names = names_of(state.tables, slots)
    local sub = tree:add(cafwire, range, "Signature " .. slot .. ": [" .. names .. "]")
    sub:add(f.signature_slot, slot_range, slot)
    sub:add(f.signature_types, range, names)
    if learns then
      state.tables.signatures[slot] = names
    end
  else
    reader:fail("an unknown kind of record")
  end
  if body.at ~= body.last then
    body:fail("a definition has the wrong length")
  end
end

-- Reads records of a session up to the next message. Returns the types of the message.
local function read_message(reader, tree, state, learns, body_start)
  while reader:remaining() > 0 and reader.tvb:range(reader.at, 1):uint() == 0 do
    read_definition(reader, tree, state, learns)
  end
  local slot, slot_range = reader:varint()
  local size = reader:varint()
  if size >= LONG_RUN then
    reader:take(-(reader.at - body_start) % 16)
  end
  tree:add(f.signature, slot_range, slot)
  local names = state.tables.signatures[slot]
  if not names then
    reader:fail("signature " .. slot .. " was not defined in this capture")
  end
  tree:add(f.types, slot_range, names):set_generated()
  if size > 0 then
    tree:add(f.payload, reader:take(size))
  end
  return names
end

-- -- links -----------------------------------------------------------------------------------------

local function read_handshake(reader, tree)
  if reader:take(8):string() ~= "cafwire\n" then
    reader:fail("no handshake")
  end
  tree:add_le(f.min_version, reader:take(2))
  tree:add_le(f.max_version, reader:take(2))
  tree:add_le(f.full_epoch, reader:take(8))
  tree:add_le(f.registry_hash, reader:take(8))
  tree:add_le(f.max_frame, reader:take(8))
  tree:add(f.node, reader:node())
  tree:add_le(f.published, reader:take(8))
  for _ = 1, (reader:varint()) do
    local text, range = reader:text()
    tree:add(f.interface, range, text)
  end
  tree:add_le(f.services, reader:take(8))
end

-- Returns a summary of the frame.
local function read_authentication(reader, tree)
  local size = reader:remaining()
  if size == 1 then
    return "refusal"
  elseif size == PROOF then
    reader:take(1)
    tree:add(f.mac, reader:take(32))
    return "proof"
  elseif size ~= CHALLENGE or reader:take(8):string() ~= "cafwire\n" then
    reader:fail("no challenge")
  end
  tree:add_le(f.min_version, reader:take(2))
  tree:add_le(f.max_version, reader:take(2))
  reader:take(1)
  tree:add(f.role, reader:take(1))
  tree:add_le(f.full_epoch, reader:take(8))
  tree:add(f.random, reader:take(32))
  return "challenge"
end

local function bit_of(byte, index)
  return math.floor(byte / 2 ^ index) % 2 == 1
end

-- Returns a summary of the record.
local function read_record(reader, tree, state, learns, body_start)
  local start = reader.at
  local first_range = reader:take(1)
  local first = first_range:uint()
  local op = operations[first % 8]
  if not op then
    reader:fail("an unknown operation")
  end
  local has_source, returned, relayed = bit_of(first, 3), bit_of(first, 5), bit_of(first, 7)
  if not has_source and (returned or relayed) then
    reader:fail("flags of a source that is not there")
  end
  local sub = tree:add(f.record, first_range, op)
  sub:add(f.op, first_range)
  local _, range, target = reader:varint()
  sub:add(f.target, range, target)
  if bit_of(first, 6) then
    sub:add(f.relayed_target, first_range, true)
  end
  if has_source then
    local _, source_range, source = reader:varint()
    sub:add(f.source, source_range, source)
    if returned then
      sub:add(f.returned, first_range, true)
    end
    if relayed then
      sub:add(f.relayed_source, first_range, true)
    end
  end
  if bit_of(first, 4) then
    local _, id_range, id = reader:varint()
    local flags = id:band(15):tonumber()
    sub:add(f.request, id_range, id:rshift(4))
    sub:add(f.response, id_range, flags >= 8)
    sub:add(f.priority, id_range, flags % 4)
  end
  if relayed and not returned then
    local size = reader:varint()
    local last = reader.at + size
    local identity = new_reader(reader.tvb, reader.at, last)
    reader:take(size)
    sub:add(f.source_node, identity:node())
    sub:add_le(f.source_id, identity:take(8))
    if identity.at ~= last then
      identity:fail("bytes behind the ID of the source")
    end
  end
  local summary = op
  if op == "message" then
    summary = "[" .. read_message(reader, sub, state, learns, body_start) .. "]"
  elseif op == "down" then
    local size = reader:varint()
    sub:add(f.reason, reader:take(size))
  elseif op == "release" then
    local _, seen_range, seen = reader:varint()
    sub:add(f.seen, seen_range, seen)
  end
  sub:set_len(reader.at - start)
  return summary
end

local function frame_length(tvb, _, offset)
  local body = tvb:range(offset, 4):le_uint()
  return HEADER + body + -body % 16
end

local function dissect_frame(tvb, pinfo, root)
  pinfo.cols.protocol = "cafwire"
  local tree = root:add(cafwire, tvb())
  local body_size = tvb:range(0, 4):le_uint()
  local kind = tvb:range(4, 1):uint()
  local sequence = tvb:range(12, 4):le_uint()
  tree:add_le(f.body_size, tvb:range(0, 4))
  tree:add(f.kind, tvb:range(4, 1))
  tree:add_le(f.epoch, tvb:range(8, 4))
  tree:add_le(f.sequence, tvb:range(12, 4))
  local direction = direction_of(pinfo.src, pinfo.src_port, pinfo.dst, pinfo.dst_port)
  local key = direction.key .. "#" .. pinfo.number .. "#" .. sequence
  local learns = not pinfo.visited
  if learns then
    -- A connection that reuses addresses and ports starts with a handshake, too.
    if kind ~= 2 then
      direction.tables = {types = {}, signatures = {}}
    end
    frames_seen[key] = {tables = direction.tables,
                        expected = kind ~= 2 and 0 or direction.next_sequence}
    direction.next_sequence = kind == 3 and 0 or (sequence + 1) % 2 ^ 32
  end
  local seen = frames_seen[key] or {tables = direction.tables}
  if seen.expected and seen.expected ~= sequence then
    tree:add_proto_expert_info(out_of_order, "Frame " .. sequence .. " instead of " .. seen.expected)
  end
  local state = {tables = seen.tables}
  local reader = new_reader(tvb, HEADER, HEADER + body_size)
  local summaries = {}
  local ok, problem = pcall(function()
    if tvb:range(5, 1):uint() ~= 0 or tvb:range(6, 2):uint() ~= 0 or not kinds[kind] then
      reader:fail("an unknown kind of frame")
    end
    if kind == 1 then
      read_handshake(reader, tree)
      table.insert(summaries, "handshake")
    elseif kind == 3 then
      table.insert(summaries, read_authentication(reader, tree))
    else
      while reader:remaining() > 0 do
        table.insert(summaries, read_record(reader, tree, state, learns, HEADER))
      end
    end
  end)
  if learns then
    direction.tables = state.tables
  end
  if not ok then
    local text = type(problem) == "table" and problem.text or tostring(problem)
    tree:add_proto_expert_info(malformed, text)
    table.insert(summaries, "malformed: " .. text)
  end
  tree:append_text(", frame " .. sequence .. ": " .. table.concat(summaries, ", "))
  pinfo.cols.info:append(" #" .. sequence .. " " .. table.concat(summaries, ", "))
end

function cafwire.dissector(tvb, pinfo, root)
  pinfo.cols.info:set("")
  dissect_tcp_pdus(tvb, root, HEADER, frame_length, dissect_frame)
  return tvb:len()
end

-- A connection that starts with a handshake or a challenge is a link.
local function is_link(tvb, pinfo, root)
  local start = "cafwire\n"
  if tvb:len() < HEADER + #start or tvb:range(4, 1):uint() % 2 ~= 1
     or tvb:range(HEADER, #start):string() ~= start then
    return false
  end
  pinfo.conversation = cafwire
  cafwire.dissector(tvb, pinfo, root)
  return true
end

cafwire:register_heuristic("tcp", is_link)
DissectorTable.get("tcp.port"):add_for_decode_as(cafwire)
