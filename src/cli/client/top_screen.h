// The screen of `headroom top`, drawn from documents of the server: how much of the cluster is in
// use, the queues, and the jobs that wait, each with its reason. It knows no terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/client/client.h"

namespace headroom::cli {

struct TopDocuments {
  Json status;
  std::vector<Json> nodes;
  std::vector<Json> queues;
  std::vector<Json> jobs;  // active ones
};

struct TopLine {
  enum class Style : std::uint8_t { kPlain, kTitle, kGood, kWarning };
  std::string text;
  Style style = Style::kPlain;
};

struct TopView {
  std::size_t width = 80;
  std::size_t height = 24;  // 0: all lines
  std::size_t scroll = 0;   // jobs that are above the window
};

std::vector<TopLine> top_screen(const TopDocuments& documents, const TopView& view);

// "[######----]  60 %"
std::string bar(double part, std::size_t width);

}  // namespace headroom::cli
