#include "model/placement.h"

#include <gtest/gtest.h>

namespace headroom::model {

TEST(Placement, AJobIdIsReadAsItIsWritten) {
  for (const JobId id : {JobId{0, -1}, JobId{1041, -1}, JobId{1041, 0}, JobId{7, 999}}) {
    EXPECT_EQ(parse_job_id(to_text(id)), id);
  }
  for (const char* text :
       {"", ".", "1.", ".1", "-1", "1.-1", "1 ", "x", "1.2.3", "+1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_job_id(text)) << text;
  }
}

}  // namespace headroom::model
