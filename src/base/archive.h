// Archive: values as bytes, and back. Compact (whole numbers in as few bytes as they need) and the
// same on every machine. For what this program writes for itself: its journal and its snapshots.
//
//   base::Writer out;            base::Reader in(bytes);
//   out.put(job);                Job job = in.get<Job>();
//   out.bytes();                 if (!in.ok()) …  // cut short or not what was written
//
// A struct takes part by naming its members, in the order in which they are written:
//
//   constexpr auto members(std::type_identity<Job>) { return std::tuple(&Job::id, &Job::name); }
//
// What is added to a struct later goes to the end of its list with the version that it came with. A
// reader that is told an older version gives it its default:
//
//   std::tuple(&Job::id, &Job::name, base::since(2, &Job::note));      base::Reader in(bytes, 1);
//
// A reader never reads past its end and never makes more elements than there are bytes left. When
// something is wrong it gives default values from there on and ok() is false.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace headroom::base {

template <class T>
concept Described = requires { members(std::type_identity<T>{}); };

// A member that came with a later version.
template <class Member>
struct Since {
  std::int64_t version;
  Member member;
};
template <class Member>
constexpr Since<Member> since(std::int64_t version, Member member) {
  return {version, member};
}

class Writer {
 public:
  const std::string& bytes() const { return bytes_; }

  template <class T>
    requires std::integral<T> || std::is_enum_v<T>
  void put(T value) {
    const auto wide = static_cast<std::int64_t>(value);
    auto rest = static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63);
    while (rest >= 0x80) {
      bytes_.push_back(static_cast<char>(rest | 0x80));
      rest >>= 7;
    }
    bytes_.push_back(static_cast<char>(rest));
  }
  template <class Tag>
  void put(Quantity<Tag> value) {
    put(value.value());
  }
  template <class Tag>
  void put(Id<Tag> id) {
    put(id.valid() ? std::int64_t{id.index()} : std::int64_t{-1});
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const auto& value : values) put(static_cast<const T&>(value));
  }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& values) {
    put(values.first);
    put(values.second);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class... Kinds>
  void put(const std::variant<Kinds...>& value) {
    put(value.index());
    std::visit([this](const auto& kind) { this->put(kind); }, value);
  }
  template <Described T>
  void put(const T& value) {
    std::apply([&](auto... member) { (put_member(value, member), ...); },
               members(std::type_identity<T>{}));
  }

 private:
  template <class T, class M>
  void put_member(const T& value, M T::* member) {
    put(value.*member);
  }
  template <class T, class Member>
  void put_member(const T& value, Since<Member> later) {
    put_member(value, later.member);
  }

  std::string bytes_;
};

class Reader {
 public:
  // `version`: of what was written; without it, this program's.
  explicit Reader(std::string_view bytes,
                  std::int64_t version = std::numeric_limits<std::int64_t>::max())
      : rest_(bytes), version_(version) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  template <class T>
  T get() {
    T value{};
    read(value);
    return value;
  }

  template <class T>
    requires std::integral<T> || std::is_enum_v<T>
  void read(T& value) {
    const std::int64_t wide = number();
    value = static_cast<T>(wide);
    if (static_cast<std::int64_t>(value) != wide) fail();
  }
  template <class Tag>
  void read(Quantity<Tag>& value) {
    value = Quantity<Tag>{number()};
  }
  template <class Tag>
  void read(Id<Tag>& id) {
    const std::int64_t index = number();
    id = index < 0 ? Id<Tag>::none() : Id<Tag>{static_cast<std::size_t>(index)};
    if (index >= 0xffff'ffff) fail();
  }
  void read(std::string& text) {
    const std::size_t size = count();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  template <class T>
  void read(std::vector<T>& values) {
    const std::size_t size = count();
    values.clear();
    values.reserve(size);
    for (std::size_t i = 0; i < size && ok_; ++i) values.push_back(get<T>());
  }
  template <class T, std::size_t N>
  void read(std::array<T, N>& values) {
    for (T& value : values) read(value);
  }
  template <class A, class B>
  void read(std::pair<A, B>& values) {
    read(values.first);
    read(values.second);
  }
  template <class T>
  void read(std::optional<T>& value) {
    value.reset();
    if (get<bool>()) value = get<T>();
  }
  template <class... Kinds>
  void read(std::variant<Kinds...>& value) {
    const std::int64_t index = number();
    std::int64_t at = 0;
    const bool known = ((at++ == index ? (value = get<Kinds>(), true) : false) || ...);
    if (!known) fail();
  }
  template <Described T>
  void read(T& value) {
    std::apply([&](auto... member) { (read_member(value, member), ...); },
               members(std::type_identity<T>{}));
  }

 private:
  template <class T, class M>
  void read_member(T& value, M T::* member) {
    read(value.*member);
  }
  template <class T, class Member>
  void read_member(T& value, Since<Member> later) {
    if (version_ >= later.version) read_member(value, later.member);
  }

  void fail() {
    ok_ = false;
    rest_ = {};
  }

  std::int64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80)
        return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
    }
    fail();
    return 0;
  }

  // How many elements or characters follow; each takes a byte at least.
  std::size_t count() {
    const std::int64_t size = number();
    if (size >= 0 && static_cast<std::size_t>(size) <= rest_.size()) {
      return static_cast<std::size_t>(size);
    }
    fail();
    return 0;
  }

  std::string_view rest_;
  std::int64_t version_;
  bool ok_ = true;
};

}  // namespace headroom::base
