// headroom top: the cluster at a glance, live.
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <fmt/format.h>

#include <clocale>
#include <cstdlib>
#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/top_screen.h"
#include "cli/client_verbs.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

namespace headroom::cli {

namespace {

constexpr std::size_t kMostJobs = 1000;  // that one can scroll through

struct TopOptions {
  ServerFlags server;
  bool once = false;
  std::int64_t every = 2;  // seconds
};

Reply<TopDocuments> read_documents(Client& client) {
  TopDocuments all;
  Reply<Json> status = client.get("/status");
  if (!status) return tl::unexpected(status.error());
  all.status = std::move(*status);
  Reply<Listing> nodes = client.pages("/nodes", {});
  if (!nodes) return tl::unexpected(nodes.error());
  Reply<Listing> queues = client.list("/queues");
  if (!queues) return tl::unexpected(queues.error());
  Reply<Listing> jobs = client.pages("/jobs", {}, kMostJobs);
  if (!jobs) return tl::unexpected(jobs.error());
  all.nodes = std::move(nodes->items);
  all.queues = std::move(queues->items);
  all.jobs = std::move(jobs->items);
  return all;
}

int print_once(const TopDocuments& documents) {
  const Terminal terminal = inspect_terminal(1);
  std::string text;
  const TopView view{.width = terminal.is_terminal ? terminal.width : 160, .height = 0};
  for (const TopLine& line : top_screen(documents, view)) text += line.text + "\n";
  return put(text);
}

// The terminal while it is ours.
class Screen {
 public:
  Screen() {
    std::setlocale(LC_ALL, "");
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    if (!inspect_terminal(1).colour || has_colors() == FALSE) return;
    start_color();
    use_default_colors();
    init_pair(1, COLOR_GREEN, -1);
    init_pair(2, COLOR_YELLOW, -1);
    colour_ = true;
  }
  ~Screen() { endwin(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  TopView view(std::size_t scroll) const {
    return {.width = static_cast<std::size_t>(std::max(COLS - 1, 20)),
            .height = static_cast<std::size_t>(std::max(LINES - 1, 5)),
            .scroll = scroll};
  }

  void draw(const std::vector<TopLine>& lines, const std::string& last) const {
    erase();
    int row = 0;
    for (const TopLine& line : lines) put_line(row++, line.text, attributes(line.style));
    put_line(LINES - 1, last, A_REVERSE);
    refresh();
  }

 private:
  static void put_line(int row, const std::string& text, attr_t style) {
    attron(static_cast<int>(style));
    mvaddnstr(row, 0, text.c_str(), -1);
    attroff(static_cast<int>(style));
  }

  attr_t attributes(TopLine::Style style) const {
    switch (style) {
      case TopLine::Style::kTitle:
        return A_BOLD;
      case TopLine::Style::kGood:
        return colour_ ? static_cast<attr_t>(COLOR_PAIR(1)) : A_NORMAL;
      case TopLine::Style::kWarning:
        return colour_ ? static_cast<attr_t>(COLOR_PAIR(2)) : A_BOLD;
      case TopLine::Style::kPlain:
        break;
    }
    return A_NORMAL;
  }

  bool colour_ = false;
};

// Keys change the scroll position; false: leave.
bool handle_key(int key, std::size_t& scroll, std::size_t jobs) {
  const std::size_t most = jobs == 0 ? 0 : jobs - 1;
  switch (key) {
    case 'q':
    case 27:  // Escape
      return false;
    case KEY_DOWN:
    case 'j':
      scroll = std::min(scroll + 1, most);
      break;
    case KEY_UP:
    case 'k':
      scroll -= scroll > 0 ? 1 : 0;
      break;
    case KEY_NPAGE:
    case ' ':
      scroll = std::min(scroll + 10, most);
      break;
    case KEY_PPAGE:
      scroll -= std::min<std::size_t>(scroll, 10);
      break;
    case KEY_HOME:
    case 'g':
      scroll = 0;
      break;
    default:
      break;
  }
  return true;
}

int show_live(Client& client, TopDocuments documents, int every) {
  const Interrupt interrupt;
  const Screen screen;
  std::size_t scroll = 0;
  std::string trouble;
  while (!Interrupt::requested()) {
    const std::string keys = fmt::format("q quit  up/down scroll   every {} s", every);
    screen.draw(top_screen(documents, screen.view(scroll)), trouble.empty() ? keys : trouble);
    timeout(every * 1000);
    const int key = getch();
    if (key != ERR && key != 'r') {
      if (!handle_key(key, scroll, documents.jobs.size())) return kOk;
      continue;
    }
    Reply<TopDocuments> read = read_documents(client);
    trouble = read ? "" : read.error().message;
    if (read) documents = std::move(*read);
  }
  return kOk;
}

int run_top(const TopOptions& options) {
  if (options.every < 1 || options.every > 3600) {
    return fail_with({kUsage, "--every: it is not in 1..3600"});
  }
  const bool live = !options.once;
  if (live && !(inspect_terminal(0).is_terminal && inspect_terminal(1).is_terminal)) {
    return fail_with({kUsage, "top needs a terminal; --once prints the screen once"});
  }
  return with_client(options.server, [&](Client& client) {
    Reply<TopDocuments> documents = read_documents(client);
    if (!documents) return fail_with(documents.error());
    return live ? show_live(client, std::move(*documents), static_cast<int>(options.every))
                : print_once(*documents);
  });
}

}  // namespace

Command top_command() {
  const auto options = std::make_shared<TopOptions>();
  std::vector<Flag> flags{{"--once", "", "print it once, for a pipe", &options->once},
                          {"--every", "SECONDS", "how often it is drawn", &options->every}};
  return {.name = "top",
          .summary = "Show the cluster live: use, queues, waiting jobs with their reasons",
          .details =
              "q leaves; up, down, page up and page down scroll through the jobs; r draws at "
              "once.",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"top --once", "the screen as text"}},
          .run = [options] { return run_top(*options); }};
}

}  // namespace headroom::cli
