// SPDX-License-Identifier: Apache-2.0
// Writes the rows of telemetry tables as points of series: one series per column (per element of a
// list) and device. What a row holds besides is counted. One thread at a time.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "collectors/recorder.h"
#include "collectors/telemetry/cell.h"
#include "collectors/telemetry/device_book.h"
#include "collectors/telemetry/layout.h"
#include "collectors/telemetry/row_clock.h"

namespace gpuwhy::telemetry {

class RowWriter {
 public:
  // Names that a file makes up; it bounds memory.
  static constexpr size_t kMaxNames = 2048;

  explicit RowWriter(Recorder& recorder)
      : recorder_(recorder), clock_(recorder), devices_(recorder) {}

  // `cells` are as many as the layout has columns.
  void Write(Layout& layout, std::span<const std::string_view> cells);

  int64_t ValueCount() const { return value_count_; }
  const std::string& host() const { return host_; }
  const std::string& driver() const { return driver_; }

 private:
  // What a row says about all of its values.
  struct Place {
    Device* device = nullptr;
    int64_t time_ns = 0;
  };

  bool IsOfOneHost(std::string_view host);
  bool FindPlace(const Layout& layout, std::span<const std::string_view> cells, Place& place);
  void WriteCell(Column& column, std::string_view text, const Place& place);
  void WriteList(Column& column, std::string_view text, const Place& place);
  void WriteNumber(Column& column, const Cell& cell, const Place& place, size_t element);
  // The counter's name; empty when there are too many.
  const std::string& NameOf(Column& column, size_t element);
  std::string Registered(std::string name, const Column& column);

  Recorder& recorder_;
  RowClock clock_;
  DeviceBook devices_;
  std::set<std::string, std::less<>> names_;
  int64_t value_count_ = 0;
  std::string host_;
  std::string driver_;
};

}  // namespace gpuwhy::telemetry
