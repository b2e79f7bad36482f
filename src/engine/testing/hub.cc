// The hub as the tests start it: headroom-test-hub FOLDER [KILL_FILE]. The process that comes to
// the step named in KILL_FILE removes the file and dies as by kill -9.
#include <unistd.h>

#include <csignal>

#include "engine/posix.h"
#include "engine/supervisor.h"

int main(int argc, char** argv) {
  using namespace headroom::engine;
  if (argc < 2) return 2;
  Step step;
  if (argc > 2) {
    step = [file = std::string(argv[2])](const char* name) {
      const auto wanted = read_file(file);
      if (wanted && *wanted == name && unlink(file.c_str()) == 0) raise(SIGKILL);
    };
  }
  return run_hub(argv[1], step);
}
