// Clock: what time it is, behind a seam, so that the whole server also runs in virtual time.
//
// Timeline: the time that the scheduler sees. It goes on as the monotonic clock does and never
// back. Where the wall clock was set to another time, the timeline does not jump after it (a job's
// time limit must not run out because somebody set the clock); it runs a tenth faster or slower
// until they agree again, as adjtime does. At the start it is the wall clock's time, or that of the
// last record where that is later.
#pragma once

#include "base/quantity.h"

namespace headroom::server {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual base::Time wall() const = 0;
  virtual base::Duration monotonic() const = 0;  // from some moment on
};

class SystemClock : public Clock {
 public:
  base::Time wall() const override;
  base::Duration monotonic() const override;
};

class Timeline {
 public:
  // Not before `last`, the time of the last record.
  Timeline(const Clock& clock, base::Time last);

  base::Time now();

 private:
  const Clock& clock_;
  base::Time now_;
  base::Duration seen_;         // of the monotonic clock
  std::int64_t tenths_ms_ = 0;  // passed while the clocks disagree; ten make a step
};

}  // namespace headroom::server
