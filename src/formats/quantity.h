// Quantities as people write them: a number and its unit, '2TiB', '400Gbps', '44kW', '30min'. All
// arithmetic is exact: a decimal such as 1.5TiB is accepted when it is a whole number of base
// units, and what does not fit into 64 bits is an error. A bare number, a unit of the wrong kind
// and a misspelt unit are errors that say what is allowed; none names a place, which is the
// caller's.
//
//   bytes      B kB MB GB TB PB EB, KiB MiB GiB TiB PiB EiB
//   rate       the same with /s, and bps kbps Mbps Gbps Tbps (bits; eight of them are a byte)
//   power      W kW MW
//   duration   ms s min h d, and Slurm's D-HH, D-HH:MM, D-HH:MM:SS, H:MM:SS
//
// `print_…` gives the shortest whole number of a unit; reading it again gives the same value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "base/result.h"

namespace headroom::formats {

base::Result<base::Bytes> parse_bytes(std::string_view text);
base::Result<base::BytesPerSecond> parse_rate(std::string_view text);
base::Result<base::Watts> parse_power(std::string_view text);
base::Result<base::Duration> parse_duration(std::string_view text);
// Bytes of each step: '1.6GB/step'.
base::Result<base::Bytes> parse_bytes_per_step(std::string_view text);
// Operations per second, with k, M or G or without: '2M', '500k', '300'.
base::Result<base::Operations> parse_operations(std::string_view text);
// Cores: '96', '1.5', or thousandths: '500m'.
base::Result<base::CpuMilli> parse_cores(std::string_view text);
// Thousandths of one GPU: '250m' (1..999).
base::Result<base::GpuMilli> parse_share(std::string_view text);
// '32 nodes', '1 node'.
base::Result<std::int64_t> parse_node_count(std::string_view text);

// A whole number in low..high, without sign (but '-'), spaces or leading zeros.
base::Result<std::int64_t> parse_integer(std::string_view text, std::int64_t low,
                                         std::int64_t high);
// A decimal number in thousandths: '1.3' is 1300. At most three decimals, in low..high thousandths.
base::Result<std::int64_t> parse_permille(std::string_view text, std::int64_t low,
                                          std::int64_t high);

std::string print_bytes(base::Bytes);
std::string print_rate(base::BytesPerSecond);      // in bytes per second
std::string print_bit_rate(base::BytesPerSecond);  // in bits per second
std::string print_power(base::Watts);
std::string print_duration(base::Duration);
std::string print_bytes_per_step(base::Bytes);
std::string print_operations(base::Operations);
std::string print_cores(base::CpuMilli);
std::string print_share(base::GpuMilli);
std::string print_node_count(std::int64_t nodes);
std::string print_permille(std::int64_t permille);

}  // namespace headroom::formats
