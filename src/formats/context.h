// Context: what a reader of a document carries along: the problems found so far, the path to the
// value that is being read (`nodes[2].gpu`), and the GPU products that may be named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/known.h"
#include "formats/problems.h"
#include "formats/value.h"

namespace headroom::formats {

class Context {
 public:
  Context(Problems& problems, const Known& known) : problems_(problems), known_(known) {}

  const Known& known() const { return known_; }

  // A problem with the value that is being read.
  void problem(const Value& value, std::string_view what) {
    problems_.add(value.line, path_, what);
  }
  // A problem with a part of it: `.queue`, `[2].name`.
  void problem_in(const Value& value, std::string_view part, std::string_view what) {
    problems_.add(value.line, join(part), what);
  }

  // While it lives, the path is longer by `part`.
  class Inside {
   public:
    Inside(Context& context, std::string_view part)
        : context_(context), before_(context.path_.size()) {
      context.path_ = context.join(part);
    }
    ~Inside() { context_.path_.resize(before_); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Context& context_;
    std::size_t before_;
  };

 private:
  std::string join(std::string_view part) const {
    if (path_.empty() && part.starts_with('.')) part.remove_prefix(1);
    return path_ + std::string(part);
  }

  Problems& problems_;
  const Known& known_;
  std::string path_;
};

}  // namespace headroom::formats
