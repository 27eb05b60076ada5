// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/event_parser.h"

#include <simdjson.h>

#include <algorithm>

#include "collectors/kineto/decimal.h"
#include "collectors/kineto/event_stream.h"
#include "collectors/kineto/structure.h"

namespace gpuwhy::kineto {
namespace {

// Keys hold no escapes in any writer; one that does is merely not recognised.
std::string_view KeyText(simdjson::ondemand::raw_json_string key, const char* end) {
  const char* begin = key.raw();
  return {begin, static_cast<size_t>(std::find(begin, end, '"') - begin)};
}

bool IsWordEnd(char c) {
  return c == ',' || c == '}' || c == ']' || IsSpace(c);
}

// A scalar as written, without the quotes of a string.
std::string_view ScalarText(std::string_view token) {
  if (token.starts_with('"')) return token.substr(1, token.find('"', 1) - 1);
  const auto* end = std::find_if(token.begin(), token.end(), IsWordEnd);
  return token.substr(0, static_cast<size_t>(end - token.begin()));
}

std::optional<int64_t> TrailingNumber(std::string_view text) {
  const size_t last = text.find_last_not_of("0123456789");
  return ParseInteger(text.substr(last == std::string_view::npos ? 0 : last + 1));
}

}  // namespace

class EventParser::Impl {
 public:
  bool Parse(std::string_view text, TextArena& arena, TraceEvent& event);

 private:
  using Value = simdjson::ondemand::value;

  bool TakeField(std::string_view key, Value value);
  bool TakeArgs(Value value);
  bool TakeArg(std::string_view key, Value value);
  std::string_view Text(Value value);
  TraceId Id(Value value);
  std::optional<int64_t> Time(Value value);
  std::optional<int64_t> Number(Value value);
  std::string_view Whole(Value value) const;
  std::string_view WholeAt(const char* begin) const;
  bool TakeDimensions(Value value, std::array<int64_t, 3>& out) const;

  simdjson::ondemand::parser parser_;
  TextArena* arena_ = nullptr;
  TraceEvent* event_ = nullptr;
  const char* end_ = nullptr;
  const char* args_ = nullptr;  // where args begin
  // Neighbours share their category, so it is looked up once per run.
  std::string last_category_text_;
  Category last_category_ = Category::kNone;
};

EventParser::EventParser() : impl_(std::make_unique<Impl>()) {}

EventParser::~EventParser() = default;

bool EventParser::Parse(std::string_view text, TextArena& arena, TraceEvent& event) {
  return impl_->Parse(text, arena, event);
}

bool EventParser::Impl::Parse(std::string_view text, TextArena& arena, TraceEvent& event) {
  arena_ = &arena;
  event_ = &event;
  end_ = text.data() + text.size();
  args_ = nullptr;
  simdjson::ondemand::document document;
  const simdjson::padded_string_view padded(text, text.size() + EventStream::kPaddingBytes);
  if (parser_.iterate(padded).get(document) != simdjson::SUCCESS) return false;
  simdjson::ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto field : object) {
    simdjson::ondemand::raw_json_string key;
    Value value;
    if (field.key().get(key) != simdjson::SUCCESS) return false;
    if (field.value().get(value) != simdjson::SUCCESS) return false;
    if (!TakeField(KeyText(key, end_), value)) return false;
    // Of arrows, a third of many files, only the number is told; writers put the phase first.
    if (IsFlowPhase(event.phase)) return true;
  }
  if (event.phase == 'C' && args_ != nullptr) event.args.all = WholeAt(args_);
  return true;
}

bool EventParser::Impl::TakeField(std::string_view key, Value value) {
  TraceEvent& event = *event_;
  if (key == "ph") {
    const std::string_view phase = Text(value);
    event.phase = phase.empty() ? '\0' : phase.front();
  } else if (key == "cat") {
    event.category_text = Text(value);
    if (event.category_text != last_category_text_) {
      last_category_text_ = event.category_text;
      last_category_ = CategoryOf(event.category_text);
    }
    event.category = last_category_;
  } else if (key == "name") {
    event.name = Text(value);
  } else if (key == "pid") {
    event.pid = Id(value);
  } else if (key == "tid") {
    event.tid = Id(value);
  } else if (key == "ts") {
    event.ts_ns = Time(value);
  } else if (key == "dur") {
    event.duration_ns = Time(value);
  } else if (key == "id" || key == "id2") {
    event.id = Whole(value);
  } else if (key == "args") {
    return TakeArgs(value);
  }
  return true;
}

bool EventParser::Impl::TakeArgs(Value value) {
  const std::string_view token = value.raw_json_token();
  if (!token.starts_with('{')) return true;
  args_ = token.data();
  simdjson::ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto field : object) {
    simdjson::ondemand::raw_json_string key;
    Value arg;
    if (field.key().get(key) != simdjson::SUCCESS) return false;
    if (field.value().get(arg) != simdjson::SUCCESS) return false;
    if (!TakeArg(KeyText(key, end_), arg)) return false;
  }
  return true;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one flat list of keys.
bool EventParser::Impl::TakeArg(std::string_view key, Value value) {
  EventArgs& args = event_->args;
  const auto is_number = [&](std::string_view wanted, std::optional<int64_t>& out) {
    if (key != wanted) return false;
    out = Number(value);
    return true;
  };
  switch (key.size()) {
    case 4:
      if (key == "grid") return args.has_grid = TakeDimensions(value, args.grid), true;
      if (key == "kind") args.copy_kind = ScalarText(value.raw_json_token());
      if (key == "name") args.name = Text(value);
      break;
    case 5:
      if (key == "block") return args.has_block = TakeDimensions(value, args.block), true;
      if (!is_number("bytes", args.bytes)) is_number("Bytes", args.bytes);
      break;
    case 6:
      if (!is_number("stream", args.stream)) is_number("device", args.device);
      break;
    case 7:
      is_number("context", args.context);
      break;
    case 9:
      is_number("Device Id", args.device_id);
      break;
    case 10:
      if (key == "Input Dims" || key == "Input dims") args.shapes = Whole(value);
      break;
    case 11:
      if (!is_number("correlation", args.correlation)) is_number("Device Type", args.device_type);
      break;
    case 13:
      if (!is_number("shared memory", args.shared_memory_bytes)) {
        is_number("graph node id", args.graph_node_id);
      }
      break;
    case 14:
      is_number("Total Reserved", args.total_reserved_bytes);
      break;
    case 15:
      if (!is_number("Sequence number", args.sequence_id)) {
        is_number("Total Allocated", args.total_allocated_bytes);
      }
      break;
    case 20:
      is_number("registers per thread", args.register_count);
      break;
    default:
      break;
  }
  return true;
}

std::string_view EventParser::Impl::Text(Value value) {
  const std::string_view token = value.raw_json_token();
  if (!token.starts_with('"')) return ScalarText(token);
  const std::string_view raw = ScalarText(token);
  if (raw.find('\\') == std::string_view::npos) return raw;
  std::string_view decoded;
  // Half a surrogate pair cannot be decoded: then the text is kept as written.
  if (value.get_string().get(decoded) != simdjson::SUCCESS) return raw;
  return arena_->emplace_back(decoded);
}

TraceId EventParser::Impl::Id(Value value) {
  TraceId id{.is_present = true};
  const std::string_view token = value.raw_json_token();
  const std::string_view text = token.starts_with('"') ? Text(value) : ScalarText(token);
  id.number = ParseInteger(text);
  if (id.number) return id;
  id.is_text = true;
  id.text = text;
  id.number = TrailingNumber(text);
  return id;
}

std::optional<int64_t> EventParser::Impl::Time(Value value) {
  const auto time_ns = MicrosecondsToNs(ScalarText(value.raw_json_token()));
  if (!time_ns) event_->is_time_unreadable = true;
  return time_ns;
}

std::optional<int64_t> EventParser::Impl::Number(Value value) {
  const std::string_view text = ScalarText(value.raw_json_token());
  const auto number = ParseInteger(text);
  if (!number && text != "null" && !text.empty()) event_->is_number_lost = true;
  return number;
}

// A value of any kind as written.
std::string_view EventParser::Impl::Whole(Value value) const {
  const std::string_view token = value.raw_json_token();
  if (!token.starts_with('{') && !token.starts_with('[')) return ScalarText(token);
  return WholeAt(token.data());
}

std::string_view EventParser::Impl::WholeAt(const char* begin) const {
  const char* end = FindValueEnd(begin, end_);
  return {begin, static_cast<size_t>((end == nullptr ? end_ : end) - begin)};
}

bool EventParser::Impl::TakeDimensions(Value value, std::array<int64_t, 3>& out) const {
  std::string_view text = Whole(value);
  for (int64_t& dimension : out) {
    const size_t begin = text.find_first_of("0123456789");
    if (begin == std::string_view::npos) return false;
    const size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    dimension = ParseInteger(text.substr(begin, end - begin)).value_or(0);
    text.remove_prefix(end);
  }
  return true;
}

}  // namespace gpuwhy::kineto
