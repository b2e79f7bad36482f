// Who is who: the caller, tokens, roles, and the trail of what was done.
#include <fmt/format.h>

#include <algorithm>

#include "formats/json_parser.h"
#include "formats/one_line.h"
#include "formats/quantity.h"
#include "formats/time.h"
#include "server/api/documents.h"
#include "server/api/routes.h"
#include "server/api/schema.h"
#include "server/api/services.h"

namespace headroom::server::api {

using access::Action;
using formats::Value;

namespace {

using CallPtr = std::shared_ptr<Call>;

Value role_document(const store::RoleBinding& binding) {
  return Value::map({{"subject", Value::string(binding.subject)},
                     {"role", Value::string(binding.role)},
                     {"queue", Value::string(binding.queue)}});
}

// Whether a binding speaks of this caller.
bool is_about(const store::RoleBinding& binding, const access::Principal& who) {
  if (binding.subject == "*" || binding.subject == who.user) return true;
  return std::any_of(who.groups.begin(), who.groups.end(),
                     [&](const std::string& group) { return binding.subject == "@" + group; });
}

void whoami(const CallPtr& call) {
  Value roles = Value::list();
  for (const store::RoleBinding& one : call->services().roles.list()) {
    if (is_about(one, call->who())) roles.items.push_back(role_document(one));
  }
  if (call->who().admin) roles.items.push_back(role_document({call->who().user, "admin", ""}));
  call->answer(json(Value::map({{"user", Value::string(call->who().user)},
                                {"via", Value::string(call->who().via)},
                                {"roles", std::move(roles)}})));
}

// ---- tokens

void list_tokens(const CallPtr& call) {
  Value items = Value::list();
  for (const store::Token& token : call->services().tokens.list()) {
    if (!call->forbidden(Action::kManageTokens, "", token.user)) {
      items.items.push_back(token_document(token));
    }
  }
  call->look([call, items = std::move(items)](const Change& now) mutable {
    call->answer(json(page_document(std::move(items), "", now.now())));
  });
}

struct WantedToken {
  std::string user;
  std::string name;
  std::vector<std::string> scopes;
  base::Duration lasts;  // 0: for ever
};

base::Result<void> read_member(const std::string& key, const Value& value, WantedToken& wanted) {
  if (key == "scopes" && value.is_list()) {
    for (const Value& one : value.items) {
      if (!one.is_scalar()) return base::fail("body: scopes: a list of texts");
      wanted.scopes.push_back(one.text);
    }
    return {};
  }
  if (!value.is_scalar() || !value.is_text) return base::fail("body: " + key + ": is not a text");
  if (!formats::is_one_line(value.text)) {
    return base::fail("body: " + key + ": has a control character");
  }
  if (key == "name") {
    wanted.name = value.text;
  } else if (key == "user") {
    wanted.user = value.text;
  } else if (key == "lasts") {
    const auto time = formats::parse_duration(value.text);
    if (!time) return base::fail("body: lasts: " + time.error().message);
    wanted.lasts = *time;
  } else {
    return base::fail("body: '" + key + "' is not name, user, scopes or lasts");
  }
  return {};
}

base::Result<WantedToken> wanted_token(const Call& call) {
  WantedToken wanted{.user = call.who().user};
  const auto tree = formats::parse_json("body", call.request().body);
  if (!tree) return tl::unexpected(tree.error());
  if (!tree->is_map()) return base::fail("body: is not a map");
  for (std::size_t i = 0; i < tree->keys.size(); ++i) {
    if (auto ok = read_member(tree->keys[i], tree->items[i], wanted); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (wanted.name.empty()) return base::fail("body: name: a token has one, to know it again by");
  return wanted;
}

void create_token(const CallPtr& call) {
  const auto wanted = wanted_token(*call);
  if (!wanted) return call->refuse(invalid_body(wanted.error()));
  if (auto no = call->forbidden(Action::kManageTokens, "", wanted->user)) return call->refuse(*no);
  if (auto ok = access::may_grant(call->who(), wanted->scopes); !ok) {
    return call->refuse(problem(403, ok.error().message));
  }
  call->change("token " + wanted->name, [call, wanted = *wanted](Change& change) -> Outcome {
    const base::Time expires =
        wanted.lasts > base::Duration{0} ? change.now() + wanted.lasts : base::Time{};
    const access::NewToken made =
        access::make_token(wanted.user, wanted.name, wanted.scopes, change.now(), expires);
    change.also().tokens.push_back(made.token);
    call->services().tokens.put(made.token);
    Value document = token_document(made.token);
    document.set("token", Value::string(made.text));
    return json(document, 201);
  });
}

void revoke_token(const CallPtr& call) {
  const std::vector<store::Token> tokens = call->services().tokens.list();
  const auto at = std::find_if(tokens.begin(), tokens.end(),
                               [&](const store::Token& one) { return one.id == call->value(0); });
  if (at == tokens.end()) return call->refuse(not_found("token '" + call->value(0) + "'"));
  if (auto no = call->forbidden(Action::kManageTokens, "", at->user)) return call->refuse(*no);
  call->change("token " + at->id, [call, token = *at](Change& change) mutable -> Outcome {
    token.revoked = true;
    change.also().tokens.push_back(token);
    call->services().tokens.put(token);
    return json(token_document(token));
  });
}

// ---- roles

void list_roles(const CallPtr& call) {
  if (auto no = call->forbidden(Action::kSeeRoles, "")) return call->refuse(*no);
  call->look([call](const Change& now) {
    Value items = Value::list();
    for (const store::RoleBinding& one : call->services().roles.list()) {
      items.items.push_back(role_document(one));
    }
    call->answer(json(page_document(std::move(items), "", now.now())));
  });
}

base::Result<store::RoleBinding> read_binding(const Value& value) {
  store::RoleBinding binding;
  if (!value.is_map()) return base::fail("body: each role is {subject, role, queue}");
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& key = value.keys[i];
    const Value& one = value.items[i];
    if (!one.is_scalar() || !one.is_text) return base::fail("body: " + key + ": is not a text");
    if (key == "subject") {
      binding.subject = one.text;
    } else if (key == "role") {
      binding.role = one.text;
    } else if (key == "queue") {
      binding.queue = one.text;
    } else {
      return base::fail("body: '" + key + "' is not subject, role or queue");
    }
  }
  if (auto ok = access::check_binding(binding); !ok) return tl::unexpected(ok.error());
  return binding;
}

// All bindings, instead of those that there are.
base::Result<std::vector<store::RoleBinding>> read_roles(const std::string& body) {
  const auto tree = formats::parse_json("body", body);
  if (!tree) return tl::unexpected(tree.error());
  const Value* const items = tree->is_map() ? tree->find("items") : nullptr;
  if (!items || !items->is_list()) return base::fail(R"(body: it is {"items": [roles]})");
  std::vector<store::RoleBinding> roles;
  for (const Value& one : items->items) {
    auto binding = read_binding(one);
    if (!binding) return tl::unexpected(binding.error());
    roles.push_back(std::move(*binding));
  }
  return roles;
}

void put_roles(const CallPtr& call) {
  if (auto no = call->forbidden(Action::kManageRoles, "")) return call->refuse(*no);
  const auto wanted = read_roles(call->request().body);
  if (!wanted) return call->refuse(invalid_body(wanted.error()));
  call->change("roles", [call, wanted = *wanted](Change& change) -> Outcome {
    access::Roles& roles = call->services().roles;
    const std::vector<store::RoleBinding> before = roles.list();
    for (const store::RoleBinding& one : before) {
      if (std::find(wanted.begin(), wanted.end(), one) != wanted.end()) continue;
      change.also().unbound.push_back(one);
      roles.unbind(one);
    }
    Value items = Value::list();
    for (const store::RoleBinding& one : wanted) {
      if (std::find(before.begin(), before.end(), one) == before.end()) {
        change.also().bound.push_back(one);
        roles.bind(one);
      }
      items.items.push_back(role_document(one));
    }
    return json(page_document(std::move(items), "", change.now()));
  });
}

// ---- audit

void list_audit(const CallPtr& call) {
  if (auto no = call->forbidden(Action::kReadAudit, "")) return call->refuse(*no);
  store::AuditQuery query{.newest_first = call->query("order") != "oldest", .limit = call->limit()};
  if (!call->query("continue").empty()) {
    const auto after = formats::parse_integer(call->query("continue"), 1, std::int64_t{1} << 53);
    if (!after) return call->refuse(problem(400, "continue: it is what the page before says"));
    query.after = *after;
  }
  call->read([call, query](store::Reader& reader) {
    const auto rows = reader.audit(query);
    if (!rows) return call->refuse(problem(500, rows.error().message));
    Value items = Value::list();
    for (const store::AuditRow& row : *rows) {
      Value one = audit_document(row.entry);
      one.set("id", Value::number(row.id));
      one.set("hash", Value::string(row.hash));
      items.items.push_back(std::move(one));
    }
    const bool full = std::ssize(*rows) == query.limit;
    const std::string more = full ? std::to_string(rows->back().id) : std::string();
    call->look([call, items = std::move(items), more](const Change& now) mutable {
      call->answer(json(page_document(std::move(items), more, now.now())));
    });
  });
}

}  // namespace

std::vector<Route> access_routes() {
  const Value new_token = object({{"name", text(), "to know it again by"},
                                  {"user", text(), "acts as; default: the caller", false},
                                  {"scopes", list_of(text()), "default: all", false},
                                  {"lasts", text(), "30d; default: for ever", false}});
  return {
      {.method = "GET",
       .path = "/api/v1/whoami",
       .operation = "whoami",
       .says = "Who the server takes the caller for, and what roles that has",
       .answer = {"the caller", "application/json", reference("Principal")},
       .handle = whoami},
      {.method = "GET",
       .path = "/api/v1/tokens",
       .operation = "listTokens",
       .says = "Tokens that the caller may manage, without their secrets",
       .answer = {"tokens", "application/json", page_of("Token")},
       .handle = list_tokens},
      {.method = "POST",
       .path = "/api/v1/tokens",
       .operation = "createToken",
       .says = "A new token; the secret is shown once",
       .bodies = {{"", "application/json", new_token}},
       .status = 201,
       .answer = {"the token", "application/json", reference("Token")},
       .problems = {415, 422},
       .handle = create_token,
       .is_secret = true},
      {.method = "DELETE",
       .path = "/api/v1/tokens/{id}",
       .operation = "revokeToken",
       .says = "The token opens nothing any more",
       .parameters = {{"id", "", text()}},
       .answer = {"the token", "application/json", reference("Token")},
       .problems = {404},
       .handle = revoke_token},
      {.method = "GET",
       .path = "/api/v1/roles",
       .operation = "listRoles",
       .says = "Who has which role where",
       .answer = {"roles", "application/json", page_of("Role")},
       .handle = list_roles},
      {.method = "PUT",
       .path = "/api/v1/roles",
       .operation = "putRoles",
       .says = "All roles, instead of those that there are",
       .bodies = {{"", "application/json", object({{"items", list_of(reference("Role")), ""}})}},
       .answer = {"roles", "application/json", page_of("Role")},
       .problems = {415, 422},
       .handle = put_roles},
      {.method = "GET",
       .path = "/api/v1/audit",
       .operation = "listAudit",
       .says = "Who did what, and what was refused; each entry holds the hash of the one before",
       .parameters = {{"order", "default: newest first", text_one_of({"newest", "oldest"})},
                      limit_parameter(),
                      continue_parameter()},
       .answer = {"entries", "application/json", page_of("AuditEntry")},
       .handle = list_audit}};
}

}  // namespace headroom::server::api
