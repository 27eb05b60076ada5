// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error, the one channel by which a function tells its caller that it
// failed. Messages name what was tried, on what, and what to do. Shaped like std::expected so that
// it can become an alias once every supported compiler has it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace gpuwhy {

enum class ErrorCode {
  kInvalidArgument,  // the caller's value is wrong; the message says which values are right
  kNotFound,         // the thing named does not exist
  kUnavailable,      // cannot be done here or now
  kCorruptInput,     // a file or record is damaged or of another kind
  kCancelled,        // stopped on request or at its deadline
  kInternal,         // our fault
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

inline Error InvalidArgument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}
inline Error NotFound(std::string message) {
  return {ErrorCode::kNotFound, std::move(message)};
}
inline Error Unavailable(std::string message) {
  return {ErrorCode::kUnavailable, std::move(message)};
}
inline Error CorruptInput(std::string message) {
  return {ErrorCode::kCorruptInput, std::move(message)};
}
inline Error Internal(std::string message) {
  return {ErrorCode::kInternal, std::move(message)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T& value() & { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace gpuwhy

#define GPUWHY_CONCAT_INNER(a, b) a##b
#define GPUWHY_CONCAT(a, b) GPUWHY_CONCAT_INNER(a, b)

// Returns the error of a Status or Result expression from the current function.
#define GPUWHY_RETURN_IF_ERROR(expr)                               \
  do {                                                             \
    if (const auto& gpuwhy_status = (expr); !gpuwhy_status.ok()) { \
      return gpuwhy_status.error();                                \
    }                                                              \
  } while (false)

// GPUWHY_ASSIGN_OR_RETURN(auto x, F()): x gets the value, or the current function returns the
// error.
#define GPUWHY_ASSIGN_OR_RETURN(target, expr) \
  GPUWHY_ASSIGN_OR_RETURN_INNER(GPUWHY_CONCAT(gpuwhy_result_, __LINE__), target, expr)
#define GPUWHY_ASSIGN_OR_RETURN_INNER(result, target, expr) \
  auto result = (expr);                                     \
  if (!result.ok()) return result.error();                  \
  target = std::move(result).value()

// Programmer error only: never on input, never on the environment.
#define GPUWHY_CHECK(condition)                                                          \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
