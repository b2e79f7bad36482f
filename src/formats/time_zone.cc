#include "formats/time_zone.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/file.h"
#include "formats/message.h"

namespace headroom::formats {

using base::Result;
using base::Time;

namespace {

constexpr std::int64_t kLargestZone = 1 << 20;
constexpr std::int64_t kLargestOffset = 26 * 3600;  // RFC 8536, section 3.2

tl::unexpected<base::Error> unknown(std::string_view name, std::string_view why) {
  return base::fail(fmt::format(
      "time zone {}: {} (allowed: UTC, an offset such as +02:00, or a name such as Europe/Berlin)",
      shown(name), why));
}

// "+02:00", "-0930", "+2": seconds east of UTC.
bool parse_offset(std::string_view text, std::int64_t& seconds) {
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
  const bool east = text.front() == '+';
  std::string digits;
  for (const char c : text.substr(1)) {
    if (c == ':' && digits.size() == 2) continue;
    if (c < '0' || c > '9' || digits.size() == 4) return false;
    digits += c;
  }
  if (digits.size() == 1) digits = "0" + digits;
  if (digits.size() == 2) digits += "00";
  if (digits.size() != 4) return false;
  const std::int64_t hours = (digits[0] - '0') * 10 + (digits[1] - '0');
  const std::int64_t minutes = (digits[2] - '0') * 10 + (digits[3] - '0');
  if (hours > 14 || minutes > 59) return false;
  seconds = (hours * 3600 + minutes * 60) * (east ? 1 : -1);
  return true;
}

// Big-endian numbers from the front of a text; zeros when it is too short.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : rest_(text) {}

  std::int64_t signed_number(std::size_t width) {
    if (rest_.size() < width) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = (rest_[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < width; ++i) {
      value = value << 8 | static_cast<unsigned char>(rest_[i]);
    }
    rest_.remove_prefix(width);
    return static_cast<std::int64_t>(value);
  }
  std::string_view take(std::size_t count) {
    if (rest_.size() < count) ok_ = false;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct Header {
  char version = 0;
  std::size_t ut = 0, standard = 0, leaps = 0, times = 0, types = 0, letters = 0;
  // Bytes of the block that follows.
  std::size_t block(std::size_t time_size) const {
    return times * time_size + times + types * 6 + letters + leaps * (time_size + 4) + standard +
           ut;
  }
};

bool read_header(Bytes& bytes, Header& header) {
  if (bytes.take(4) != "TZif") return false;
  const std::string_view version = bytes.take(16);
  if (!bytes.ok()) return false;
  header.version = version[0];
  for (std::size_t* const count : {&header.ut, &header.standard, &header.leaps, &header.times,
                                   &header.types, &header.letters}) {
    const std::int64_t value = bytes.signed_number(4);
    if (value < 0 || value > kLargestZone) return false;
    *count = static_cast<std::size_t>(value);
  }
  return bytes.ok();
}

}  // namespace

Result<TimeZone> TimeZone::parse(std::string_view file) {
  const auto damaged = [] { return base::fail("it is not a file of the time zone database"); };
  Bytes bytes(file);
  Header header;
  if (!read_header(bytes, header)) return damaged();
  std::size_t time_size = 4;
  if (header.version >= '2') {  // the same again, with 64-bit times
    bytes.take(header.block(4));
    if (!read_header(bytes, header)) return damaged();
    time_size = 8;
  }
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < header.times && bytes.ok(); ++i) {
    times.push_back(bytes.signed_number(time_size));
  }
  std::vector<std::size_t> types;
  for (std::size_t i = 0; i < header.times && bytes.ok(); ++i) {
    types.push_back(static_cast<std::size_t>(bytes.signed_number(1) & 0xff));
  }
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < header.types && bytes.ok(); ++i) {
    offsets.push_back(bytes.signed_number(4));
    bytes.take(2);
    if (std::abs(offsets.back()) > kLargestOffset) return damaged();
  }
  if (!bytes.ok() || offsets.empty() || !std::is_sorted(times.begin(), times.end())) {
    return damaged();
  }
  TimeZone zone;
  zone.first_offset_ = offsets[0];
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (types[i] >= offsets.size()) return damaged();
    zone.transitions_.push_back({.at = times[i], .offset = offsets[types[i]]});
  }
  return zone;
}

Result<TimeZone> TimeZone::find(const std::string& name) {
  TimeZone zone;
  if (name.empty() || name == "UTC" || name == "Z" || name == "GMT") return zone;
  if (parse_offset(name, zone.first_offset_)) return zone;
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
  const bool is_name = name.find_first_not_of(kLetters) == std::string::npos &&
                       !name.starts_with('/') && !name.starts_with('+') && !name.starts_with('-');
  if (!is_name) return unknown(name, "it is neither a name nor an offset");
  const std::string folder = "/usr/share/zoneinfo/";
  if (!read_file(folder + "tzdata.zi", 1 << 22) && !read_file(folder + "UTC", kLargestZone)) {
    return unknown(name, "the time zone database is not installed (package tzdata)");
  }
  const Result<std::string> file = read_file(folder + name, kLargestZone);
  if (!file) return unknown(name, "there is no such zone in the time zone database");
  Result<TimeZone> parsed = parse(*file);
  if (!parsed) return unknown(name, parsed.error().message);
  return parsed;
}

Time TimeZone::to_utc(Time local) const {
  const std::int64_t seconds = local.value() / 1000;
  std::int64_t offset = first_offset_;
  // Transitions that the reading is past by the clock before it and by the clock after it.
  const auto later = [](std::int64_t value, const Transition& one) { return value < one.at; };
  constexpr std::int64_t kTwoDays = 2 * 86'400;
  auto next = std::upper_bound(transitions_.begin(), transitions_.end(), seconds - kTwoDays, later);
  if (next != transitions_.begin()) offset = std::prev(next)->offset;
  for (; next != transitions_.end(); ++next) {
    if (seconds - offset < next->at || seconds - next->offset < next->at) break;
    offset = next->offset;
  }
  return local + base::Duration{-offset * 1000};
}

}  // namespace headroom::formats
