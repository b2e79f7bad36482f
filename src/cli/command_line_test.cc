#include <cstdlib>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/text.h"
#include "cli/verbs.h"

namespace headroom::cli {
namespace {

struct Options {
  std::string form = "table";
  std::vector<std::string> files;
  double factor = 1.3;
  std::int64_t threads = 0;
  bool quick = false;
  int runs = 0;
};

std::vector<Command> one_verb(Options& options) {
  return {{.name = "pack",
           .summary = "Fill a cluster",
           .details = "All of it.",
           .flags = {{"--files", "FILE...", "what to read", &options.files, true},
                     {"-o,--output", "FORM", "the form", &options.form, false, {"table", "json"}},
                     {"--factor", "X", "how much", &options.factor},
                     {"--threads", "N", "runs at a time", &options.threads},
                     {"--quick", "", "less of it", &options.quick}},
           .examples = {{"pack --files a --factor 2", "twice as much"}},
           .run = [&options] {
             ++options.runs;
             return int{kDifference};
           }}};
}

struct Ran {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Ran run(Options& options, std::vector<const char*> words) {
  words.insert(words.begin(), "headroom");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.exit_code = run_command_line(one_verb(options), static_cast<int>(words.size()), words.data());
  std::fflush(nullptr);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

TEST(CommandLine, FillsTheFlagsAndReturnsWhatTheVerbReturns) {
  Options options;
  const Ran ran = run(options, {"pack", "--files", "a,b", "c", "-o", "json", "--factor=0.5",
                                "--threads", "4", "--quick"});
  EXPECT_EQ(ran.exit_code, kDifference);
  EXPECT_EQ(options.files, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(options.form, "json");
  EXPECT_EQ(options.factor, 0.5);
  EXPECT_EQ(options.threads, 4);
  EXPECT_TRUE(options.quick);
}

struct Mistake {
  std::vector<const char*> words;
  std::string says;
};

TEST(CommandLine, MistakesAreOneLineOnStderr) {
  const std::vector<Mistake> mistakes = {
      {{"pakc"}, "there is no verb 'pakc' (did you mean pack?)"},
      {{"pack", "--fils", "a"}, "there is no flag --fils (did you mean --files?)"},
      {{"pack"}, "--files is required"},
      {{"pack", "--files", "a", "--factor", "much"}, "--factor: 'much' is not a number"},
      {{"pack", "--files", "a", "--threads", "1.5"}, "--threads: '1.5' is not a whole number"},
      {{"pack", "--files", "a", "-o", "xml"}, "--output: 'xml' is not table or json"},
      {{"--nonsense"}, "there is no flag --nonsense"},
      {{"pack", "--files", "a", "--quick", "b\nc"}, "b?c"},
      {{"pack", "--files", "a", "--factor"}, "--factor"},
  };
  for (const Mistake& mistake : mistakes) {
    Options options;
    const Ran ran = run(options, mistake.words);
    EXPECT_EQ(ran.exit_code, kUsage) << mistake.says;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(mistake.says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << ran.err;
    EXPECT_EQ(options.runs, 0);
  }
}

TEST(CommandLine, NoVerbShowsTheHelpAsAnError) {
  Options options;
  const Ran ran = run(options, {});
  EXPECT_EQ(ran.exit_code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("  pack  Fill a cluster\n"), std::string::npos);
}

TEST(CommandLine, HelpShowsDefaultsAndExamples) {
  for (const char* word : {"-h", "--help"}) {
    Options options;
    const Ran ran = run(options, {"pack", "--factor", "9", word});
    EXPECT_EQ(ran.exit_code, kOk);
    EXPECT_EQ(ran.err, "");
    EXPECT_NE(ran.out.find("Usage: headroom pack --files FILE... [flags]\n"), std::string::npos);
    EXPECT_NE(ran.out.find("how much (default: 1.3)\n"), std::string::npos);
    EXPECT_NE(ran.out.find("what to read (required)\n"), std::string::npos);
    EXPECT_NE(ran.out.find("  headroom pack --files a --factor 2\n"), std::string::npos);
  }
  Options options;
  EXPECT_NE(run(options, {"--help"}).out.find("  pack  Fill a cluster\n"), std::string::npos);
}

TEST(CommandLine, HelpNamesPositionalArgumentsByWhatTheyAre) {
  std::vector<std::string> files;
  const Command command{.name = "lint",
                        .summary = "Check",
                        .details = "",
                        .flags = {{"files", "FILE...", "files to check", &files}},
                        .examples = {},
                        .run = [] { return int{kOk}; }};
  const std::string text = command_help(command, 80);
  EXPECT_NE(text.find("Usage: headroom lint [FILE...]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  FILE...     files to check\n"), std::string::npos) << text;
}

TEST(CommandLine, HelpFitsEightyColumns) {
  const std::string text = command_help(pack_command(), 80);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    EXPECT_LE(display_width(line), 80u) << line;
    at = end + 1;
  }
}

}  // namespace
}  // namespace headroom::cli
