// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace graphnet::journal {

/// "2026-11-21T05:40:12Z", for Record::time_utc and the journal's header.
///
/// units    seconds since 1970-01-01 UTC
/// source   ISO 8601, extended format
std::string format_utc(std::time_t seconds);
std::string utc_now();

/// "2026-11-21T0540Z-7f3a": sorts by time, is a file name, and differs between two runs that start
/// in the same minute unless their 16 random bits agree.
std::string format_run_id(std::time_t seconds, std::uint16_t random_bits);
std::string new_run_id();

}  // namespace graphnet::journal
