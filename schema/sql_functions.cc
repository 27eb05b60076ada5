// SPDX-License-Identifier: Apache-2.0
#include "schema/sql_functions.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "schema/histogram.h"

namespace gpuwhy {
namespace {

constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

// The aggregate context holds a pointer to State, made at the first row and deleted by the final
// call.
template <typename State>
State* GetState(sqlite3_context* context) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(context, sizeof(State*)));
  if (slot == nullptr) return nullptr;
  if (*slot == nullptr) *slot = new (std::nothrow) State();
  return *slot;
}

template <typename State>
std::unique_ptr<State> TakeState(sqlite3_context* context) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(context, 0));
  return std::unique_ptr<State>(slot == nullptr ? nullptr : *slot);
}

constexpr size_t kMaxValues = size_t{1} << 26;  // 512 MB

// Values stay integers while all are: a double would round times since the epoch.
struct ExactState {
  std::vector<int64_t> integers;
  std::vector<double> reals;  // of all values once one is not an integer
  double p = 0;
};

bool SetFraction(sqlite3_context* context, double p) {
  if (p > 0 && p <= 1) return true;
  sqlite3_result_error(context, "percentile wants p in (0, 1], for example percentile(x, 0.99)",
                       -1);
  return false;
}

void ExactStep(sqlite3_context* context, int count, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto* state = GetState<ExactState>(context);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  const auto* fixed = static_cast<const double*>(sqlite3_user_data(context));
  state->p = count == 2 ? sqlite3_value_double(values[1]) : *fixed;
  if (!SetFraction(context, state->p)) return;
  const int type = sqlite3_value_numeric_type(values[0]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
    return sqlite3_result_error(context, "percentiles are of numbers, not of text", -1);
  }
  if (state->integers.size() + state->reals.size() >= kMaxValues) {
    return sqlite3_result_error(context, "too many values for a percentile: narrow the query", -1);
  }
  if (type == SQLITE_INTEGER && state->reals.empty()) {
    return state->integers.push_back(sqlite3_value_int64(values[0]));
  }
  state->reals.insert(state->reals.end(), state->integers.begin(), state->integers.end());
  state->integers.clear();
  state->reals.push_back(sqlite3_value_double(values[0]));
}

// Nearest rank: the value at position ceil(p * n), counted from 1. The margin is for products such
// as 0.07 * 100, which is 7.000000000000001 in binary.
template <typename T>
T NearestRank(std::vector<T>& values, double p) {
  constexpr double kMargin = 1 - 1e-12;
  const auto count = static_cast<double>(values.size()) * kMargin;
  const auto rank = std::clamp<size_t>(static_cast<size_t>(std::ceil(p * count)), 1, values.size());
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void ExactFinal(sqlite3_context* context) {
  const auto state = TakeState<ExactState>(context);
  if (state == nullptr || (state->integers.empty() && state->reals.empty())) {
    return sqlite3_result_null(context);
  }
  if (state->reals.empty()) {
    return sqlite3_result_int64(context, NearestRank(state->integers, state->p));
  }
  sqlite3_result_double(context, NearestRank(state->reals, state->p));
}

struct HistogramState {
  Histogram histogram;
  double p = 0;
};

void HistogramStep(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto* state = GetState<HistogramState>(context);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  state->p = sqlite3_value_double(values[1]);
  if (!SetFraction(context, state->p)) return;
  const auto* data = static_cast<const char*>(sqlite3_value_blob(values[0]));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(values[0]));
  const Status merged = state->histogram.MergeEncoded({data == nullptr ? "" : data, size});
  if (!merged.ok()) sqlite3_result_error(context, merged.error().message.c_str(), -1);
}

void HistogramFinal(sqlite3_context* context) {
  const auto state = TakeState<HistogramState>(context);
  if (state == nullptr || state->histogram.count() == 0) return sqlite3_result_null(context);
  sqlite3_result_int64(context, state->histogram.Percentile(state->p));
}

}  // namespace

Status RegisterSqlFunctions(sqlite3* handle) {
  static double p50 = 0.50;
  static double p95 = 0.95;
  static double p99 = 0.99;
  const auto add = [&](const char* name, int arguments, double* p) {
    return sqlite3_create_function_v2(handle, name, arguments, kFlags, p, nullptr, &ExactStep,
                                      &ExactFinal, nullptr) == SQLITE_OK;
  };
  const bool all =
      add("p50", 1, &p50) && add("p95", 1, &p95) && add("p99", 1, &p99) &&
      add("percentile", 2, nullptr) &&
      sqlite3_create_function_v2(handle, "histogram_percentile", 2, kFlags, nullptr, nullptr,
                                 &HistogramStep, &HistogramFinal, nullptr) == SQLITE_OK;
  if (!all) return Internal("cannot register the SQL functions of gpuwhy");
  return {};
}

}  // namespace gpuwhy
