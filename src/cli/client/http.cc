#include "cli/client/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "cli/interrupt.h"
#include "formats/spelling.h"

namespace headroom::cli {

namespace {

// The functions that are used, out of the library.
struct Curl {
  void* library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) set = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) info = nullptr;
  decltype(&curl_easy_strerror) error_text = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_list = nullptr;
  bool is_whole = library != nullptr;

  Curl() {
    if (!is_whole) return;
    load(global_init, "curl_global_init");
    load(easy_init, "curl_easy_init");
    load(easy_reset, "curl_easy_reset");
    load(set, "curl_easy_setopt");
    load(perform, "curl_easy_perform");
    load(info, "curl_easy_getinfo");
    load(error_text, "curl_easy_strerror");
    load(cleanup, "curl_easy_cleanup");
    load(append, "curl_slist_append");
    load(free_list, "curl_slist_free_all");
    if (is_whole) global_init(CURL_GLOBAL_DEFAULT);
  }

 private:
  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    is_whole = is_whole && function != nullptr;
  }
};

const Curl& curl() {
  static const Curl loaded;
  return loaded;
}

// What a transfer writes into.
struct Transfer {
  const HttpRequest& request;
  CURL* handle;
  HttpAnswer answer = {};
};

std::size_t take_header(char* data, std::size_t, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) transfer.answer.headers.clear();  // of an interim answer
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  const std::size_t from = line.find_first_not_of(" \t", colon + 1);
  const std::size_t to = line.find_last_not_of(" \t\r\n");
  const bool empty = from == std::string_view::npos || to < from;
  transfer.answer.headers.emplace_back(formats::lower_case(line.substr(0, colon)),
                                       empty ? "" : line.substr(from, to - from + 1));
  return size;
}

std::size_t take_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  long status = 0;
  curl().info(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  if (transfer.request.on_bytes && status < 300) {
    if (transfer.request.on_bytes({data, size})) return size;
    transfer.answer.stopped = true;
    return 0;  // ends the transfer
  }
  transfer.answer.body.append(data, size);
  return size;
}

// Called at least once a second.
int look_for_interrupt(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  if (!Interrupt::requested()) return 0;
  static_cast<Transfer*>(user)->answer.stopped = true;
  return 1;
}

}  // namespace

struct Http::Handle {
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;

  ~Handle() {
    if (headers != nullptr) curl().free_list(headers);
    if (easy != nullptr) curl().cleanup(easy);
  }

  void add_header(const std::string& line) { headers = curl().append(headers, line.c_str()); }

  void prepare(const Endpoint& endpoint, const HttpRequest& request, Transfer& transfer,
               char* message) {
    const Curl& c = curl();
    c.easy_reset(easy);  // the connection stays
    if (headers != nullptr) c.free_list(headers);
    headers = nullptr;
    add_header("Expect:");  // do not wait for "100 Continue"
    if (!endpoint.token.empty()) add_header("Authorization: Bearer " + endpoint.token);
    for (const std::string& line : request.headers) add_header(line);
    c.set(easy, CURLOPT_URL, (endpoint.url + request.path).c_str());
    if (!endpoint.socket.empty()) c.set(easy, CURLOPT_UNIX_SOCKET_PATH, endpoint.socket.c_str());
    if (!endpoint.ca.empty()) c.set(easy, CURLOPT_CAINFO, endpoint.ca.c_str());
    c.set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method != "GET") {
      c.set(easy, CURLOPT_POSTFIELDS, request.body.data());
      c.set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
    c.set(easy, CURLOPT_HTTPHEADER, headers);
    c.set(easy, CURLOPT_HEADERFUNCTION, take_header);
    c.set(easy, CURLOPT_HEADERDATA, &transfer);
    c.set(easy, CURLOPT_WRITEFUNCTION, take_body);
    c.set(easy, CURLOPT_WRITEDATA, &transfer);
    c.set(easy, CURLOPT_NOPROGRESS, 0L);
    c.set(easy, CURLOPT_XFERINFOFUNCTION, look_for_interrupt);
    c.set(easy, CURLOPT_XFERINFODATA, &transfer);
    c.set(easy, CURLOPT_ERRORBUFFER, message);
    c.set(easy, CURLOPT_CONNECTTIMEOUT, 10L);
    c.set(easy, CURLOPT_TIMEOUT, request.seconds);
    c.set(easy, CURLOPT_NOSIGNAL, 1L);
    c.set(easy, CURLOPT_PROXY, "");  // a token goes to the server alone
    c.set(easy, CURLOPT_USERAGENT, "headroom");
  }
};

Http::Http(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}
Http::Http(Http&&) noexcept = default;
Http::~Http() = default;

base::Result<HttpAnswer> Http::perform(const HttpRequest& request) {
  if (!curl().is_whole) {
    return base::fail("libcurl.so.4 cannot be loaded; install the package libcurl4");
  }
  if (!handle_) {
    handle_ = std::make_unique<Handle>();
    handle_->easy = curl().easy_init();
    if (handle_->easy == nullptr) return base::fail("libcurl cannot begin");
  }
  Transfer transfer{request, handle_->easy};
  char message[CURL_ERROR_SIZE] = "";
  handle_->prepare(endpoint_, request, transfer, message);
  const CURLcode code = curl().perform(handle_->easy);
  long status = 0;
  curl().info(handle_->easy, CURLINFO_RESPONSE_CODE, &status);
  transfer.answer.status = static_cast<int>(status);
  if (code == CURLE_OK || transfer.answer.stopped) return std::move(transfer.answer);
  // libcurl would name the host and port that stand in the URL of a socket for nothing.
  const bool nobody = code == CURLE_COULDNT_CONNECT && !endpoint_.socket.empty();
  if (nobody) return base::fail("nobody listens on this socket");
  return base::fail(message[0] != 0 ? message : curl().error_text(code));
}

std::string_view HttpAnswer::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

std::string url_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    result += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace headroom::cli
