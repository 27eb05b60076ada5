// SPDX-License-Identifier: Apache-2.0
#include "examples/starved-loader/record/image.h"

#include <zlib.h>

#include <array>
#include <cmath>
#include <random>

// Visible in stacks by name: exported (the program links with -rdynamic) and never inlined.
#define STAGE __attribute__((noinline, visibility("default")))

namespace gpuwhy::starved_loader {
namespace {

using Pixels = std::array<uint8_t, kImageBytes>;
constexpr size_t kInflateStepBytes = kLineBytes * 8;

struct Crop {
  int left = 0;
  int top = 0;
  int side = kImageSide;
};

Crop ChooseCrop(int64_t number) {
  std::minstd_rand random(static_cast<uint32_t>(number) + 1);
  const int side = std::uniform_int_distribution<int>(kImageSide / 2, kImageSide - 1)(random);
  std::uniform_int_distribution<int> offset(0, kImageSide - side - 1);
  return {.left = offset(random), .top = offset(random), .side = side};
}

// Each line is stored as the difference to the line above it: the "Up" filter of PNG.
void FilterLines(Pixels& pixels) {
  for (size_t i = kImageBytes; i-- > kLineBytes;) {
    pixels[i] = static_cast<uint8_t>(pixels[i] - pixels[i - kLineBytes]);
  }
}

}  // namespace

CompressedImage MakeImage(uint32_t seed) {
  std::minstd_rand random(seed + 1);
  std::uniform_int_distribution<int> noise(-6, 6);
  Pixels pixels;
  for (size_t i = 0; i < kImageBytes; ++i) {
    const auto x = static_cast<double>(i % kLineBytes);
    const auto y = static_cast<double>(i / kLineBytes);
    const double wave = std::sin(x / (40.0 + seed % 17)) + std::cos(y / (23.0 + seed % 11));
    pixels[i] = static_cast<uint8_t>(128 + static_cast<int>(50 * wave) + noise(random));
  }
  FilterLines(pixels);
  CompressedImage compressed(compressBound(kImageBytes));
  uLongf size_bytes = compressed.size();
  compress2(compressed.data(), &size_bytes, pixels.data(), kImageBytes, 6);
  compressed.resize(size_bytes);
  return compressed;
}

STAGE void InflateImage(const CompressedImage& image, Pixels& pixels, PreemptionWatch& watch) {
  z_stream stream{};
  inflateInit(&stream);
  stream.next_in = const_cast<Bytef*>(image.data());  // zlib reads only
  stream.avail_in = static_cast<uInt>(image.size());
  stream.next_out = pixels.data();
  int code = Z_OK;
  while (code == Z_OK && stream.total_out < kImageBytes) {
    stream.avail_out = kInflateStepBytes;
    code = inflate(&stream, Z_NO_FLUSH);
    watch.Look();
  }
  inflateEnd(&stream);
}

STAGE void UnfilterLines(Pixels& pixels, PreemptionWatch& watch) {
  for (size_t line = 1; line < kImageSide; ++line) {
    uint8_t* at = pixels.data() + line * kLineBytes;
    for (size_t i = 0; i < kLineBytes; ++i) {
      at[i] = static_cast<uint8_t>(at[i] + (at - kLineBytes)[i]);
    }
    watch.Look();
  }
}

// Bilinear, then to zero mean and unit range.
STAGE void ResizeAndNormalize(const Pixels& pixels, const Crop& crop, std::span<float> sample,
                              PreemptionWatch& watch) {
  const float scale = static_cast<float>(crop.side - 1) / kSampleSide;
  size_t out = 0;
  for (int y = 0; y < kSampleSide; ++y) {
    const float source_y = static_cast<float>(crop.top) + static_cast<float>(y) * scale;
    const auto top = static_cast<size_t>(source_y);
    const float down = source_y - static_cast<float>(top);
    for (int x = 0; x < kSampleSide; ++x) {
      const float source_x = static_cast<float>(crop.left) + static_cast<float>(x) * scale;
      const auto left = static_cast<size_t>(source_x);
      const float right = source_x - static_cast<float>(left);
      const uint8_t* at = pixels.data() + top * kLineBytes + left * kChannels;
      for (size_t c = 0; c < kChannels; ++c) {
        const uint8_t* below = at + kLineBytes;
        const float upper =
            static_cast<float>(at[c]) * (1 - right) + static_cast<float>(at[c + kChannels]) * right;
        const float lower = static_cast<float>(below[c]) * (1 - right) +
                            static_cast<float>(below[c + kChannels]) * right;
        sample[out++] = (upper * (1 - down) + lower * down) / 127.5F - 1;
      }
    }
    watch.Look();
  }
}

void MakeBatch(std::span<const CompressedImage> images, int64_t number, std::span<float> batch,
               PreemptionWatch& watch) {
  Pixels pixels;
  for (int i = 0; i < kBatchSamples; ++i) {
    const int64_t sample = number * kBatchSamples + i;
    InflateImage(images[static_cast<size_t>(sample) % images.size()], pixels, watch);
    UnfilterLines(pixels, watch);
    ResizeAndNormalize(pixels, ChooseCrop(sample),
                       batch.subspan(static_cast<size_t>(i) * kSampleFloats, kSampleFloats), watch);
  }
}

}  // namespace gpuwhy::starved_loader
