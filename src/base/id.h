// Id<Tag>: a dense index (0, 1, 2, …) into the table of one kind of thing. Ids of different kinds
// do not mix, and ids are handed out instead of pointers.
//
//   using NodeId = Id<struct NodeTag>;
//   NodeId first{0};
//   cluster.nodes[first.index()]
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace headroom::base {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}

  static constexpr Id none() { return Id{}; }
  constexpr bool valid() const { return index_ != kNone; }
  constexpr std::uint32_t index() const { return index_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  std::uint32_t index_ = kNone;
};

}  // namespace headroom::base
