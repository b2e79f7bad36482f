// Readers: a few threads that answer questions to the store, each with a connection of its own, so
// that the threads of the network never wait for a disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "store/reader.h"

namespace headroom::server::api {

class Readers {
 public:
  static base::Result<std::unique_ptr<Readers>> open(const std::string& folder, int threads);
  ~Readers();  // answers what was asked, then joins

  void post(std::function<void(store::Reader&)> question);

 private:
  Readers() = default;
  void run(store::Reader& reader);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void(store::Reader&)>> questions_;
  bool stopping_ = false;
  std::vector<std::unique_ptr<store::Reader>> readers_;
  std::vector<std::thread> threads_;
};

}  // namespace headroom::server::api
