/* SPDX-License-Identifier: MIT */
#include "cell_limits.h"

extern "C" {
#include "base/clock.h"
}

namespace weft
{

Limits::Limits()
{
    weft_limits_cache_init(&cache_, weft_clock_ns);
}

Limits::~Limits()
{
    weft_limits_cache_destroy(&cache_);
    weft_chain_limits_destroy(&source_);
}

std::optional<weft_limits> Limits::get(const ChainFixture &fixture, weft_team *team,
                                       const CpuSetting &cpu)
{
    const unsigned threads = weft_team_size(team);
    const int place = cpu.kind == CpuSetting::Kind::number      ? cpu.cpu
                      : cpu.kind == CpuSetting::Kind::automatic ? -1
                                                                : -2;
    const weft_limits_key key = {fixture.size_bytes, fixture.chain.lines, fixture.pages, threads,
                                 place};
    weft_limits limits = {};

    source_.chain = &fixture.chain;
    source_.team = team;
    source_.threads = threads;
    const weft_status status =
        weft_limits_get(&cache_, &key, &weft_chain_limits_source, &source_, &limits);
    if (status == WEFT_E_UNSUPPORTED)
        return std::nullopt;
    if (status != WEFT_OK)
        throw CellError{std::string("its limits cannot be measured: ") + weft_status_str(status)};
    return limits;
}

double Limits::age_s(const weft_limits &limits) const
{
    return static_cast<double>(cache_.now_ns() - limits.measured_ns) * 1e-9;
}

} // namespace weft
