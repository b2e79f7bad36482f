// HEADROOM_ASSERT(condition): stops the program when something is false that only a programmer
// can get wrong. It stays on in release builds. What the world can get wrong is a Result instead.
#pragma once

namespace headroom::base {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace headroom::base

#define HEADROOM_ASSERT(condition) \
  (static_cast<bool>(condition)    \
       ? static_cast<void>(0)      \
       : ::headroom::base::assertion_failed(#condition, __FILE__, __LINE__))
