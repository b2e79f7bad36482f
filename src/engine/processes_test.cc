#include "engine/processes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>

namespace headroom::engine {
namespace {

// A child that prepares itself, says so, and waits.
class Child {
 public:
  explicit Child(const std::function<void()>& prepare) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      prepare();
      (void)!write(ends[1], "x", 1);
      while (true) pause();
    }
    close(ends[1]);
    char word = 0;
    EXPECT_EQ(read(ends[0], &word, 1), 1);
    close(ends[0]);
    for (int i = 0; i < 5000 && !sleeps(); ++i) usleep(1000);
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }

 private:
  // In pause(), which is when its state can be told.
  bool sleeps() const {
    FILE* file = fopen(("/proc/" + std::to_string(pid_) + "/stat").c_str(), "r");
    char state = '?';
    const bool got = file != nullptr && fscanf(file, "%*d %*s %c", &state) == 1;
    if (file != nullptr) fclose(file);
    return got && state == 'S';
  }
  pid_t pid_ = -1;
};

TEST(Processes, OneHandlesASignalThatItCatchesOrWaitsFor) {
  const Child plain([] {});
  EXPECT_FALSE(handles(plain.pid(), SIGUSR1));
  const Child ignores([] { std::signal(SIGUSR1, SIG_IGN); });
  EXPECT_FALSE(handles(ignores.pid(), SIGUSR1));
  const Child catches([] { std::signal(SIGUSR1, [](int) {}); });
  EXPECT_TRUE(handles(catches.pid(), SIGUSR1));
  EXPECT_FALSE(handles(catches.pid(), SIGUSR2));
  const Child waits([] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, nullptr);
  });
  EXPECT_TRUE(handles(waits.pid(), SIGUSR1));
  EXPECT_FALSE(handles(-1, SIGUSR1));
}

TEST(Processes, DescendantsAreChildrenAndTheirs) {
  const Child child([] {
    if (fork() == 0) {
      while (getppid() != 1) usleep(1000);  // ends with its parent
      _exit(0);
    }
  });
  const auto found = descendants();
  EXPECT_NE(std::find(found.begin(), found.end(), child.pid()), found.end());
  EXPECT_GE(found.size(), 2u);
}

TEST(Processes, AreFoundByAVariableOfTheirEnvironment) {
  const pid_t pid = fork();
  if (pid == 0) {
    char mark[] = "HEADROOM_ALLOCATION=only-here";
    char* const environment[] = {mark, nullptr};
    char name[] = "sleep", time[] = "60";
    char* const arguments[] = {name, time, nullptr};
    execve("/bin/sleep", arguments, environment);
    _exit(127);
  }
  std::vector<pid_t> found;
  for (int i = 0; i < 5000 && found.empty(); ++i) {
    usleep(1000);
    found = processes_with("HEADROOM_ALLOCATION=only-here");
  }
  EXPECT_EQ(found, std::vector<pid_t>{pid});
  EXPECT_TRUE(processes_with("HEADROOM_ALLOCATION=only").empty()) << "the whole value";
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace headroom::engine
