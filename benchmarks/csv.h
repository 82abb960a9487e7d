/* SPDX-License-Identifier: MIT */
/* --weft_csv: one row per timed batch, in the columns of the pointer-chase benchmark amaco2. */
#ifndef WEFT_BENCHMARKS_CSV_H
#define WEFT_BENCHMARKS_CSV_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace weft
{

struct CsvRow {
    std::string variant;
    std::uint64_t size_bytes;
    std::size_t depth;
    std::size_t group;
    std::string hint;
    std::uint64_t run_id; /* counts the timed batches of its cell from 0 */
    std::uint64_t span_ns;
    std::size_t lookups;
    std::uint64_t checksum;
};

class Csv
{
  public:
    Csv() = default;
    ~Csv();
    Csv(const Csv &) = delete;
    Csv &operator=(const Csv &) = delete;

    /* Creates the file and writes the header; false, with errno set, when it cannot. */
    bool open(const std::string &path);

    /* Does nothing when no file is open. Each row is in the file when this returns. */
    void write(const CsvRow &row);

    /* False when a row could not be written. */
    bool close();

  private:
    std::FILE *file_ = nullptr;
    bool failed_ = false;
};

} // namespace weft

#endif
