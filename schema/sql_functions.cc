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

struct ExactState {
  std::vector<double> values;
  bool all_integer = true;
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
  state->all_integer = state->all_integer && sqlite3_value_type(values[0]) == SQLITE_INTEGER;
  state->values.push_back(sqlite3_value_double(values[0]));
}

void ExactFinal(sqlite3_context* context) {
  const auto state = TakeState<ExactState>(context);
  if (state == nullptr || state->values.empty()) return sqlite3_result_null(context);
  const auto size = static_cast<double>(state->values.size());
  const auto rank = std::max<size_t>(1, static_cast<size_t>(std::ceil(state->p * size)));
  const auto at =
      state->values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, state->values.size()) - 1);
  std::nth_element(state->values.begin(), at, state->values.end());
  if (state->all_integer) return sqlite3_result_int64(context, static_cast<int64_t>(*at));
  sqlite3_result_double(context, *at);
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
