// Codec<T>: how a T stands in a document. One description does three things: it reads the T
// (telling every problem with its place), writes it, and says what is allowed (a JSON Schema). A
// struct is described by a table of its keys:
//
//   object<model::NicSpec>({
//       field("count", &NicSpec::count, whole_number<int>(1, 64), "NICs of a node").needed(),
//       field("rate", &NicSpec::rate, bit_rate(), "of each NIC"),
//   })
//
// A key that is not in the table is an error with the nearest one that is; a member that has its
// default value is not written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/context.h"
#include "formats/value.h"

namespace headroom::formats {

template <class T>
struct Codec {
  std::function<void(const Value&, Context&, T&)> read;  // problems go to the context
  std::function<Value(const T&)> write;
  Value schema;
};

template <class Owner>
struct Field {
  std::string key;
  Value schema;
  std::function<void(const Value&, Context&, Owner&)> read;
  std::function<std::optional<Value>(const Owner&)> write;  // none: it has its default value
  std::function<Value(const Owner&)> write_always;
  bool is_needed = false;

  // The key must be there, and so is always written.
  Field needed() && {
    is_needed = true;
    write = [inner = write_always](const Owner& owner) -> std::optional<Value> {
      return inner(owner);
    };
    return std::move(*this);
  }
  // Written only where `condition` holds.
  Field written_if(std::function<bool(const Owner&)> condition) && {
    write = [condition = std::move(condition),
             inner = std::move(write)](const Owner& owner) -> std::optional<Value> {
      return condition(owner) ? inner(owner) : std::nullopt;
    };
    return std::move(*this);
  }
};

// Keys of a document that a table does not have, or lacks. Not a template, to keep those small.
void check_keys(const Value& value, Context& context, const std::vector<std::string>& keys,
                const std::vector<std::string>& needed);
// A JSON Schema of an object from those of its keys.
Value object_schema(const std::vector<std::pair<std::string, Value>>& keys,
                    const std::vector<std::string>& needed);
Value described(Value schema, std::string_view says);
// "is a list, not a map", …
bool expect_kind(const Value& value, Context& context, Value::Kind kind);

// A key whose value is `access(owner)`, an M& (const M& of a const owner).
template <class Owner, class M, class Access>
Field<Owner> field_at(std::string key, Access access, const Codec<M>& codec,
                      std::string_view says) {
  Field<Owner> result;
  result.key = std::move(key);
  result.schema = described(codec.schema, says);
  result.read = [access, read = codec.read](const Value& value, Context& context, Owner& owner) {
    read(value, context, access(owner));
  };
  result.write = [access, write = codec.write](const Owner& owner) -> std::optional<Value> {
    static const Owner defaults{};
    if (access(owner) == access(defaults)) return std::nullopt;
    return write(access(owner));
  };
  result.write_always = [access, write = codec.write](const Owner& owner) {
    return write(access(owner));
  };
  return result;
}

template <class Owner, class M>
Field<Owner> field(std::string key, M Owner::* member, const Codec<M>& codec,
                   std::string_view says) {
  const auto access = [member](auto& owner) -> auto& { return owner.*member; };
  return field_at<Owner>(std::move(key), access, codec, says);
}

template <class M>
Codec<std::optional<M>> maybe(const Codec<M>& codec) {
  return {
      .read = [read = codec.read](const Value& value, Context& context,
                                  std::optional<M>& into) { read(value, context, into.emplace()); },
      .write = [write = codec.write](const std::optional<M>& from) { return write(*from); },
      .schema = codec.schema};
}

template <class Owner, class M>
Field<Owner> field(std::string key, std::optional<M> Owner::* member, const Codec<M>& codec,
                   std::string_view says) {
  return field(std::move(key), member, maybe(codec), says);
}

// `check` sees what was read and where it stood, and may bring it into canonical form.
template <class T>
Codec<T> object(std::vector<Field<T>> fields,
                std::function<void(T&, const Value&, Context&)> check = {}) {
  std::vector<std::string> keys;
  std::vector<std::string> needed;
  std::vector<std::pair<std::string, Value>> schemas;
  for (const Field<T>& one : fields) {
    keys.push_back(one.key);
    if (one.is_needed) needed.push_back(one.key);
    schemas.emplace_back(one.key, one.schema);
  }
  Codec<T> codec;
  codec.schema = object_schema(schemas, needed);
  codec.read = [fields, keys, needed, check](const Value& value, Context& context, T& into) {
    if (!expect_kind(value, context, Value::Kind::kMap)) return;
    check_keys(value, context, keys, needed);
    for (const Field<T>& one : fields) {
      const Value* const found = value.find(one.key);
      if (found == nullptr) continue;
      const Context::Inside inside(context, "." + one.key);
      one.read(*found, context, into);
    }
    if (check) check(into, value, context);
  };
  codec.write = [fields](const T& from) {
    Value value = Value::map();
    for (const Field<T>& one : fields) {
      if (std::optional<Value> written = one.write(from)) value.set(one.key, std::move(*written));
    }
    return value;
  };
  return codec;
}

Value list_schema(const Value& item);

template <class T>
Codec<std::vector<T>> list_of(const Codec<T>& item) {
  Codec<std::vector<T>> codec;
  codec.schema = list_schema(item.schema);
  codec.read = [read = item.read](const Value& value, Context& context, std::vector<T>& into) {
    if (!expect_kind(value, context, Value::Kind::kList)) return;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const Context::Inside inside(context, "[" + std::to_string(i) + "]");
      read(value.items[i], context, into.emplace_back());
    }
  };
  codec.write = [write = item.write](const std::vector<T>& from) {
    Value value = Value::list();
    for (const T& one : from) value.items.push_back(write(one));
    return value;
  };
  return codec;
}

}  // namespace headroom::formats
