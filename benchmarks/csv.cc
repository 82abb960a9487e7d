/* SPDX-License-Identifier: MIT */
#include "csv.h"

#include <cinttypes>

namespace weft
{

Csv::~Csv()
{
    close();
}

bool Csv::open(const std::string &path)
{
    file_ = std::fopen(path.c_str(), "w");
    if (!file_)
        return false;
    std::fputs("variant,workload_size_mb,depth,group_size,hint,run_id,ns_total,ns_per_lookup,"
               "lookups_per_sec,checksum\n",
               file_);
    failed_ = std::fflush(file_) != 0;
    return !failed_;
}

void Csv::write(const CsvRow &row)
{
    if (!file_)
        return;
    const double span_ns = static_cast<double>(row.span_ns);
    const double lookups = static_cast<double>(row.lookups);

    std::fprintf(file_, "%s,%.10g,%zu,%zu,%s,%" PRIu64 ",%" PRIu64 ",%.3f,%.0f,%" PRIu64 "\n",
                 row.variant.c_str(), static_cast<double>(row.size_bytes) / (1 << 20), row.depth,
                 row.group, row.hint.c_str(), row.run_id, row.span_ns, span_ns / lookups,
                 lookups * 1e9 / span_ns, row.checksum);
    failed_ = std::fflush(file_) != 0 || failed_;
}

bool Csv::close()
{
    if (file_ && std::fclose(file_) != 0)
        failed_ = true;
    file_ = nullptr;
    return !failed_;
}

} // namespace weft
