#include "server/api/readers.h"

#include <utility>

namespace headroom::server::api {

base::Result<std::unique_ptr<Readers>> Readers::open(const std::string& folder, int threads) {
  std::unique_ptr<Readers> self(new Readers);
  for (int i = 0; i < threads; ++i) {
    auto reader = store::Reader::open(folder);
    if (!reader) return tl::unexpected(reader.error());
    self->readers_.push_back(std::move(*reader));
  }
  for (const auto& reader : self->readers_) {
    self->threads_.emplace_back([&pool = *self, &one = *reader] { pool.run(one); });
  }
  return self;
}

Readers::~Readers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Readers::post(std::function<void(store::Reader&)> question) {
  const std::lock_guard lock(mutex_);
  questions_.push_back(std::move(question));
  wake_.notify_one();
}

void Readers::run(store::Reader& reader) {
  for (;;) {
    std::function<void(store::Reader&)> question;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !questions_.empty(); });
      if (questions_.empty()) return;
      question = std::move(questions_.front());
      questions_.pop_front();
    }
    question(reader);
  }
}

}  // namespace headroom::server::api
