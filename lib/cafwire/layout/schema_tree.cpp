// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/schema_tree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace cafwire::layout {

namespace {

struct number_entry {
  std::string_view name;
  size_t size;
};

// In the order of the kinds.
constexpr auto numbers = std::array<number_entry, 17>{{
  {"bool", 1},
  {"i8", 1},
  {"u8", 1},
  {"i16", 2},
  {"u16", 2},
  {"i32", 4},
  {"u32", 4},
  {"i64", 8},
  {"u64", 8},
  {"i128", 16},
  {"u128", 16},
  {"c8", 1},
  {"c16", 2},
  {"c32", 4},
  {"f32", 4},
  {"f64", 8},
  {"f80", 10},
}};

static_assert(numbers.size() == static_cast<size_t>(schema_kind::f80) + 1);

/// Types that are a word and other types in parentheses.
struct composite_entry {
  std::string_view word;
  schema_kind kind;
  /// How many types there are; 0 stands for one or more.
  size_t parts;
};

constexpr auto composites = std::array<composite_entry, 9>{{
  {"opt", schema_kind::optional, 1},
  {"var", schema_kind::variant, 0},
  {"seq", schema_kind::sequence, 1},
  {"set", schema_kind::set, 1},
  {"uset", schema_kind::unordered_set, 1},
  {"map", schema_kind::map, 2},
  {"umap", schema_kind::unordered_map, 2},
  {"shared", schema_kind::shared, 1},
  {"weak", schema_kind::weak, 1},
}};

/// How the format encodes a type of CAF that stands in schemas by name (section 1.9).
struct encoding {
  std::string_view name;
  std::string_view text;
};

constexpr auto encodings = std::array<encoding, 18>{{
  {"caf::unit_t", "()"},
  {"caf::none_t", "()"},
  {"caf::node_id", "opt(var(caf::uri,caf::hashed_node_id))"},
  {"caf::hashed_node_id", "{process_id:u32,host:[20]u8}"},
  {"caf::message_id", "u64"},
  {"caf::uri", "seq(c8)"},
  {"caf::config_value", "var(caf::none_t,i64,bool,f64,duration(i64,1/1000000000),caf::uri,seq(c8),"
                        "seq(caf::config_value),umap(seq(c8),caf::config_value))"},
  {"caf::settings", "umap(seq(c8),caf::config_value)"},
  {"dictionary<caf::config_value>", "umap(seq(c8),caf::config_value)"},
  {"caf::ipv4_address", "[4]u8"},
  {"caf::ipv6_address", "[16]u8"},
  {"caf::ipv4_endpoint", "{address:caf::ipv4_address,port:u16}"},
  {"caf::ipv6_endpoint", "{address:caf::ipv6_address,port:u16}"},
  {"caf::ipv4_subnet", "{address:caf::ipv4_address,prefix_length:u8}"},
  {"caf::ipv6_subnet", "{address:caf::ipv6_address,prefix_length:u8}"},
  {"caf::down_msg", "{source:actor,reason:caf::error}"},
  {"caf::exit_msg", "{source:actor,reason:caf::error}"},
  {"caf::node_down_msg", "{node:caf::node_id,reason:caf::error}"},
}};

std::optional<std::string_view> encoding_of(std::string_view name) {
  auto i = std::find_if(encodings.begin(), encodings.end(),
                        [name](auto& x) { return x.name == name; });
  if (i != encodings.end())
    return i->text;
  if (name.starts_with("caf::") && name.ends_with("_atom"))
    return "()";
  return std::nullopt;
}

/// Types that are a word alone, apart from numbers.
constexpr auto words = std::array<std::string_view, 3>{"actor", "bits", "unsupported"};

/// Returns whether a name is what a type without a definition is called.
bool is_word(std::string_view name) {
  return std::find(words.begin(), words.end(), name) != words.end()
         || std::any_of(numbers.begin(), numbers.end(), [name](auto& x) { return x.name == name; });
}

constexpr std::string_view special_characters = "\\{}()[],:;?^";

bool is_special(char c) {
  return special_characters.find(c) != std::string_view::npos;
}

/// Values larger than this do not exist; sizes stay far away from an overflow.
constexpr size_t max_value_size = size_t{1} << 46;

} // namespace

// -- parsing --------------------------------------------------------------------------------------

class schema_parser {
public:
  explicit schema_parser(std::string_view text) : text_(text) {
    // nop
  }

  bool run(schema_tree& result) {
    if (!split())
      return false;
    auto* root = type();
    if (root == nullptr)
      return false;
    if (root->kind == schema_kind::nothing)
      return fail("a type is missing");
    if (pos_ != end_)
      return fail("unexpected character");
    if (entered_ != definitions_.size())
      return fail("a definition without use");
    tree_.root_ = root;
    result = std::move(tree_);
    return true;
  }

  std::string problem() const {
    return std::string{problem_} + " at position " + std::to_string(pos_);
  }

private:
  /// A named struct. The node exists as soon as the name has been seen.
  struct definition {
    std::string name;
    size_t begin;
    size_t end;
    schema_node* node = nullptr;
    bool complete = false;
  };

  /// A type of CAF by name.
  struct known_core_type {
    std::string name;
    schema_node* node;
  };

  bool fail(std::string_view problem) {
    // The first one is the cause.
    if (problem_.empty())
      problem_ = problem;
    return false;
  }

  std::nullptr_t refuse(std::string_view problem) {
    fail(problem);
    return nullptr;
  }

  /// Finds the definitions behind the type.
  bool split() {
    end_ = next_semicolon(0);
    for (auto begin = end_; begin < text_.size();) {
      auto end = next_semicolon(begin + 1);
      auto saved_end = std::exchange(end_, end);
      pos_ = begin + 1;
      auto name = this->name();
      if (!problem_.empty())
        return false;
      definitions_.push_back({std::move(name), pos_, end, nullptr, false});
      end_ = saved_end;
      begin = end;
    }
    pos_ = 0;
    return true;
  }

  size_t next_semicolon(size_t pos) const {
    for (; pos < text_.size() && text_[pos] != ';'; ++pos)
      if (text_[pos] == '\\')
        ++pos;
    return std::min(pos, text_.size());
  }

  bool at(char c) const {
    return pos_ < end_ && text_[pos_] == c;
  }

  bool skip(char c) {
    if (!at(c))
      return false;
    ++pos_;
    return true;
  }

  bool expect(char c) {
    return skip(c) || fail("unexpected character");
  }

  /// Skips a backslash in front of a word, which makes it the name of a struct.
  void skip_word_escape() {
    if (!at('\\'))
      return;
    auto first = text_.begin() + pos_ + 1;
    if (is_word({first, std::find_if(first, text_.begin() + end_, is_special)}))
      ++pos_;
  }

  /// Reads characters up to one with a meaning.
  std::string name() {
    std::string result;
    skip_word_escape();
    for (; pos_ < end_; ++pos_) {
      if (text_[pos_] == '\\') {
        if (pos_ + 1 == end_ || !is_special(text_[pos_ + 1])) {
          fail("a backslash in front of nothing special");
          break;
        }
        ++pos_;
      } else if (is_special(text_[pos_])) {
        break;
      }
      result += text_[pos_];
    }
    return result;
  }

  bool digits(uint64_t& result) {
    auto start = pos_;
    result = 0;
    for (; pos_ < end_ && text_[pos_] >= '0' && text_[pos_] <= '9'; ++pos_) {
      auto digit = static_cast<uint64_t>(text_[pos_] - '0');
      if (result > (std::numeric_limits<uint64_t>::max() - digit) / 10)
        return fail("a number that is too large");
      result = result * 10 + digit;
    }
    auto has_leading_zero = pos_ - start > 1 && text_[start] == '0';
    return (pos_ > start && !has_leading_zero) || fail("not a number");
  }

  schema_node& add(schema_kind kind) {
    auto& result = tree_.nodes_.emplace_back();
    result.kind = kind;
    return result;
  }

  schema_node* type() {
    if (depth_ == max_schema_depth)
      return refuse("too many levels");
    ++depth_;
    auto* result = any_type();
    --depth_;
    return result;
  }

  schema_node* any_type() {
    if (pos_ == end_ || at(',') || at('}'))
      return &add(schema_kind::nothing);
    switch (text_[pos_]) {
      case '[':
        return array();
      case '(':
        return tuple();
      case '{': {
        auto& node = add(schema_kind::structure);
        unnamed_.push_back(&node);
        auto ok = structure(node);
        unnamed_.pop_back();
        return ok ? &node : nullptr;
      }
      case '^':
        return back_reference();
      case '?':
        ++pos_;
        return &add(schema_kind::unknown);
      default:
        return type_by_name();
    }
  }

  schema_node* array() {
    auto& node = add(schema_kind::array);
    ++pos_;
    if (!digits(node.count) || !expect(']') || !part(node))
      return nullptr;
    auto& element = node.child();
    if (element.min_size > 0 ? node.count > max_value_size / element.min_size
                             : node.count > max_value_size)
      return refuse("an array that is too large");
    node.min_size = node.count * element.min_size;
    node.fixed_size = element.fixed_size || node.count == 0;
    node.any_bytes = element.any_bytes || node.count == 0;
    return &node;
  }

  schema_node* tuple() {
    auto& node = add(schema_kind::tuple);
    ++pos_;
    if (!skip(')') && (!parts(node) || !expect(')')))
      return nullptr;
    return measure(node) ? &node : nullptr;
  }

  bool structure(schema_node& node) {
    if (!expect('{'))
      return false;
    if (!in_encoding_)
      tree_.structures_.push_back(&node);
    if (!skip('}')) {
      do {
        auto field = schema_field{};
        field.has_name = field_name(field);
        if (!problem_.empty())
          return false;
        field.type = type();
        if (field.type == nullptr)
          return false;
        if (!field.has_name && field.type->kind == schema_kind::nothing)
          return fail("a field is missing");
        node.fields.push_back(std::move(field));
      } while (skip(','));
      if (!expect('}'))
        return false;
    }
    return measure(node);
  }

  /// Reads a name with a colon behind it, if there is one.
  bool field_name(schema_field& field) {
    auto start = pos_;
    auto text = name();
    if (!problem_.empty())
      return false;
    auto absent = skip('?');
    // Types of CAF may have colons, but always two in a row.
    if (!at(':') || (!absent && pos_ + 1 < end_ && text_[pos_ + 1] == ':')) {
      pos_ = start;
      return false;
    }
    // Only structs need a backslash there.
    if (text_[start] == '\\' && is_word(text))
      return fail("a backslash in front of nothing special");
    ++pos_;
    field.name = std::move(text);
    field.may_be_absent = absent;
    return true;
  }

  schema_node* back_reference() {
    ++pos_;
    uint64_t levels = 0;
    if (!digits(levels))
      return nullptr;
    if (levels == 0 || levels > unnamed_.size())
      return refuse("a reference to nothing");
    return unnamed_[unnamed_.size() - static_cast<size_t>(levels)];
  }

  schema_node* type_by_name() {
    auto start = pos_;
    auto text = name();
    if (!problem_.empty())
      return nullptr;
    auto is_escaped = text_.substr(start, pos_ - start) != text;
    if (!is_escaped) {
      if (at('('))
        return with_parentheses(text);
      for (size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i].name == text)
          return number(static_cast<schema_kind>(i));
      if (is_word(text))
        return word(text);
    }
    for (auto& x : definitions_)
      if (x.name == text)
        return defined(x);
    if (is_escaped)
      return refuse("a name without a definition");
    // Only names of CAF have colons without a backslash.
    while (pos_ + 1 < end_ && at(':') && text_[pos_ + 1] == ':') {
      pos_ += 2;
      text += "::";
      text += name();
    }
    if (text.empty() || text_.substr(start, pos_ - start) != text)
      return refuse("not a type");
    return core_type(std::move(text));
  }

  schema_node* number(schema_kind kind) {
    auto& node = add(kind);
    node.min_size = number_size(kind);
    node.fixed_size = true;
    node.any_bytes = kind != schema_kind::boolean && kind != schema_kind::f80;
    return &node;
  }

  schema_node* word(std::string_view text) {
    if (text == "unsupported")
      return &add(schema_kind::unsupported);
    auto& node = add(text == "actor" ? schema_kind::actor : schema_kind::bit_sequence);
    node.min_size = 1;
    return &node;
  }

  schema_node* with_parentheses(std::string_view word) {
    ++pos_;
    if (word == "enum")
      return scalar(schema_kind::enumeration);
    if (word == "duration")
      return scalar(schema_kind::duration);
    if (word == "time_point")
      return scalar(schema_kind::time_point);
    if (word == "any")
      return choice();
    if (word == "bits") {
      auto& node = add(schema_kind::bit_array);
      if (!digits(node.count) || !expect(')'))
        return nullptr;
      if (node.count > max_value_size)
        return refuse("too many bits");
      node.min_size = static_cast<size_t>((node.count + 7) / 8);
      node.fixed_size = true;
      node.any_bytes = node.count % 8 == 0;
      return &node;
    }
    auto i = std::find_if(composites.begin(), composites.end(),
                          [word](auto& x) { return x.word == word; });
    if (i == composites.end())
      return refuse("not a type");
    auto& node = add(i->kind);
    node.min_size = 1;
    if (!parts(node) || !expect(')'))
      return nullptr;
    // Overloads that write a map by hand do not tell its types.
    auto by_hand = node.fields.size() == 1 && node.child().kind == schema_kind::unknown;
    if (i->parts != 0 && node.fields.size() != i->parts && !by_hand)
      return refuse("not the right number of types");
    return &node;
  }

  schema_node* scalar(schema_kind kind) {
    auto& node = add(kind);
    if (!part(node) || !node.child().is_number())
      return refuse("not a number");
    if (kind != schema_kind::enumeration
        && (!expect(',') || !digits(node.period_numerator) || !expect('/')
            || !digits(node.period_denominator)))
      return nullptr;
    if (node.period_numerator == 0 || node.period_denominator == 0)
      return refuse("not a period");
    node.min_size = node.child().min_size;
    node.fixed_size = true;
    node.any_bytes = node.child().any_bytes;
    return expect(')') ? &node : nullptr;
  }

  schema_node* choice() {
    auto& node = add(schema_kind::any);
    node.min_size = 1;
    do {
      auto field = schema_field{};
      field.has_name = field_name(field);
      if (!field.has_name || field.may_be_absent)
        return refuse("a type without a name");
      field.type = type();
      if (field.type == nullptr)
        return nullptr;
      if (!node.fields.empty() && node.fields.back().name >= field.name)
        return refuse("names that do not ascend");
      node.fields.push_back(std::move(field));
    } while (skip(','));
    return expect(')') ? &node : nullptr;
  }

  schema_node* defined(definition& x) {
    if (x.node != nullptr)
      return x.node;
    // Definitions stand in the order in which their names occur.
    if (&x != &definitions_[entered_])
      return refuse("a definition out of order");
    ++entered_;
    x.node = &add(schema_kind::structure);
    x.node->name = x.name;
    auto saved_pos = std::exchange(pos_, x.begin);
    auto saved_end = std::exchange(end_, x.end);
    if (!structure(*x.node) || (pos_ != end_ && !fail("unexpected character")))
      return nullptr;
    pos_ = saved_pos;
    end_ = saved_end;
    return x.node;
  }

  schema_node* core_type(std::string text) {
    for (auto& x : core_types_)
      if (x.name == text)
        return x.node;
    auto kind = text == "caf::message" ? schema_kind::message
                : text == "caf::error" ? schema_kind::error
                                       : schema_kind::core_type;
    auto& node = add(kind);
    node.name = text;
    core_types_.push_back({text, &node});
    if (auto encoding = encoding_of(text)) {
      // The same grammar, in another text.
      auto saved_text = std::exchange(text_, *encoding);
      auto saved_pos = std::exchange(pos_, 0);
      auto saved_end = std::exchange(end_, encoding->size());
      auto saved_definitions = std::exchange(definitions_, {});
      auto saved_entered = std::exchange(entered_, 0);
      auto was_in_encoding = std::exchange(in_encoding_, true);
      if (!part(node))
        return nullptr;
      in_encoding_ = was_in_encoding;
      text_ = saved_text;
      pos_ = saved_pos;
      end_ = saved_end;
      definitions_ = std::move(saved_definitions);
      entered_ = saved_entered;
    }
    return &node;
  }

  bool part(schema_node& node) {
    auto* child = type();
    if (child == nullptr)
      return false;
    if (child->kind == schema_kind::nothing)
      return fail("a type is missing");
    node.fields.push_back({{}, false, false, child});
    return true;
  }

  bool parts(schema_node& node) {
    do {
      if (!part(node))
        return false;
    } while (skip(','));
    return true;
  }

  /// Adds up the sizes of the parts. A struct inside of itself counts as one without bytes and
  /// without a fixed size.
  bool measure(schema_node& node) {
    auto size = size_t{0};
    auto fixed = true;
    auto any = true;
    for (auto& field : node.fields) {
      size += field.may_be_absent ? 1 : field.type->min_size;
      fixed = fixed && !field.may_be_absent && field.type->fixed_size;
      any = any && !field.may_be_absent && field.type->any_bytes;
      if (size > max_value_size)
        return fail("a type that is too large");
    }
    node.min_size = size;
    node.fixed_size = fixed;
    node.any_bytes = any;
    return true;
  }

  std::string_view text_;
  size_t pos_ = 0;
  size_t end_ = 0;
  size_t depth_ = 0;
  std::string_view problem_;
  /// Structs without a name around the position, from the outside.
  std::vector<schema_node*> unnamed_;
  std::vector<definition> definitions_;
  size_t entered_ = 0;
  std::vector<known_core_type> core_types_;
  /// Whether the position is inside of a type of the format.
  bool in_encoding_ = false;
  schema_tree tree_;
};

ec schema_tree::parse(std::string_view text, schema_tree& result, std::string& problem) {
  schema_parser parser{text};
  if (parser.run(result))
    return ec::none;
  problem = parser.problem();
  return ec::invalid_definition;
}

const schema_node& node_id_schema() {
  static const auto tree = [] {
    schema_tree result;
    std::string problem;
    std::ignore = schema_tree::parse("caf::node_id", result, problem);
    return result;
  }();
  return tree.root();
}

// -- printing -------------------------------------------------------------------------------------

namespace {

class schema_printer {
public:
  std::string run(const schema_node& type) {
    auto result = text_of(type);
    for (auto& x : definitions_) {
      result += ';';
      append_struct_name(result, x.node->name);
      result += x.text;
    }
    return result;
  }

  /// Leaves out definitions.
  std::string head(const schema_node& type) {
    return text_of(type);
  }

private:
  struct definition {
    const schema_node* node;
    std::string text;
  };

  std::string text_of(const schema_node& x) {
    if (x.is_number())
      return std::string{number_name(x.kind)};
    for (auto& entry : composites)
      if (entry.kind == x.kind)
        return in_parentheses(entry.word, x);
    switch (x.kind) {
      case schema_kind::enumeration:
        return in_parentheses("enum", x);
      case schema_kind::duration:
      case schema_kind::time_point:
        return std::string{x.kind == schema_kind::duration ? "duration(" : "time_point("}
               + text_of(x.child()) + ',' + std::to_string(x.period_numerator) + '/'
               + std::to_string(x.period_denominator) + ')';
      case schema_kind::array:
        return '[' + std::to_string(x.count) + ']' + text_of(x.child());
      case schema_kind::tuple:
        return in_parentheses("", x);
      case schema_kind::structure:
        return structure(x);
      case schema_kind::bit_sequence:
        return "bits";
      case schema_kind::bit_array:
        return "bits(" + std::to_string(x.count) + ')';
      case schema_kind::any:
        return in_parentheses("any", x);
      case schema_kind::actor:
        return "actor";
      case schema_kind::unsupported:
        return "unsupported";
      case schema_kind::unknown:
        return "?";
      case schema_kind::message:
      case schema_kind::error:
      case schema_kind::core_type:
        return x.name;
      default:
        return {};
    }
  }

  std::string structure(const schema_node& x) {
    if (x.name.empty()) {
      auto i = std::find(unnamed_.begin(), unnamed_.end(), &x);
      if (i != unnamed_.end())
        return '^' + std::to_string(unnamed_.end() - i);
      unnamed_.push_back(&x);
      auto result = '{' + parts(x) + '}';
      unnamed_.pop_back();
      return result;
    }
    auto i = std::find_if(definitions_.begin(), definitions_.end(),
                          [&x](auto& def) { return def.node == &x; });
    if (i == definitions_.end()) {
      auto index = definitions_.size();
      definitions_.push_back({&x, {}});
      auto text = '{' + parts(x) + '}';
      definitions_[index].text = std::move(text);
    }
    std::string result;
    append_struct_name(result, x.name);
    return result;
  }

  std::string in_parentheses(std::string_view word, const schema_node& x) {
    return std::string{word} + '(' + parts(x) + ')';
  }

  std::string parts(const schema_node& x) {
    std::string result;
    for (auto& field : x.fields) {
      if (&field != x.fields.data())
        result += ',';
      if (field.has_name) {
        append_schema_name(result, field.name);
        result += field.may_be_absent ? "?:" : ":";
      }
      result += text_of(*field.type);
    }
    return result;
  }

  std::vector<const schema_node*> unnamed_;
  std::vector<definition> definitions_;
};

} // namespace

std::string to_text(const schema_node& type) {
  return schema_printer{}.run(type);
}

std::string short_name(const schema_node& type) {
  if (!type.name.empty())
    return type.name;
  constexpr size_t max_length = 60;
  auto result = schema_printer{}.head(type);
  if (result.size() > max_length) {
    result.resize(max_length - 3);
    result += "...";
  }
  return result;
}

std::string_view number_name(schema_kind kind) noexcept {
  return numbers[static_cast<size_t>(kind)].name;
}

size_t number_size(schema_kind kind) noexcept {
  return numbers[static_cast<size_t>(kind)].size;
}

void append_schema_name(std::string& out, std::string_view name) {
  for (auto c : name) {
    if (is_special(c))
      out += '\\';
    out += c;
  }
}

void append_struct_name(std::string& out, std::string_view name) {
  if (is_word(name))
    out += '\\';
  append_schema_name(out, name);
}

} // namespace cafwire::layout
