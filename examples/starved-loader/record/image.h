// SPDX-License-Identifier: Apache-2.0
// The data and the work of the loader: compressed images, and what a training pipeline does with
// each: decompress, undo the line filter (as in PNG), crop and resize, normalise to floats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "examples/starved-loader/record/scheduling.h"

namespace gpuwhy::starved_loader {

inline constexpr int kImageSide = 256;
inline constexpr int kChannels = 3;
inline constexpr size_t kLineBytes = size_t{kImageSide} * kChannels;
inline constexpr size_t kImageBytes = kLineBytes * kImageSide;
inline constexpr int kSampleSide = 160;
inline constexpr size_t kSampleFloats = size_t{kSampleSide} * kSampleSide * kChannels;
inline constexpr int kBatchSamples = 16;
inline constexpr size_t kBatchFloats = kSampleFloats * kBatchSamples;
inline constexpr size_t kBatchBytes = kBatchFloats * sizeof(float);

using CompressedImage = std::vector<uint8_t>;

// Different for each seed, compressible like a photograph.
CompressedImage MakeImage(uint32_t seed);

// Decodes kBatchSamples images into `batch` (kBatchFloats). `number` chooses images and crops.
void MakeBatch(std::span<const CompressedImage> images, int64_t number, std::span<float> batch,
               PreemptionWatch& watch);

}  // namespace gpuwhy::starved_loader
