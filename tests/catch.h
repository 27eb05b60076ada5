// SPDX-License-Identifier: Apache-2.0
// Whichever Catch2 the distribution has: v2 (Debian 12, Ubuntu 22.04) or v3 (Debian 13,
// Ubuntu 24.04). Use only what both have.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#include <catch2/catch_approx.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
