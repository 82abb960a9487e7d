/* SPDX-License-Identifier: MIT */
#include "case_name.h"

#include <stdexcept>

#include "values.h"

namespace weft
{

namespace
{

/* '/' and ':' are what the name itself is made with. */
const std::string &checked(const std::string &part)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

    if (part.empty() || part.find_first_not_of(allowed) != std::string::npos)
        throw std::invalid_argument("'" + part + "' cannot be part of a case's name");
    return part;
}

} // namespace

std::string size_name(std::uint64_t bytes)
{
    for (const SizeUnit &unit : size_units)
        if (bytes != 0 && bytes % unit.bytes == 0)
            return std::to_string(bytes / unit.bytes) + unit.name;
    return "0B";
}

std::string hint_name(weft_hint hint)
{
    for (const HintName &row : hint_names)
        if (row.hint == hint)
            return row.name;
    return "none";
}

std::string cpu_name(const CpuSetting &cpu)
{
    switch (cpu.kind) {
    case CpuSetting::Kind::automatic:
        return "auto";
    case CpuSetting::Kind::none:
        return "none";
    case CpuSetting::Kind::number:
        break;
    }
    return std::to_string(cpu.cpu);
}

CaseName::CaseName(const std::string &family, const std::string &variant)
    : text_(checked(family) + "/" + checked(variant))
{
}

CaseName &CaseName::key(const std::string &name, const std::string &value)
{
    text_ += "/" + checked(name) + ":" + checked(value);
    return *this;
}

CaseName &CaseName::key(const std::string &name, std::uint64_t value)
{
    return key(name, std::to_string(value));
}

CaseName &CaseName::place(weft_pages pages, const CpuSetting &cpu)
{
    key("pages", weft_pages_name(pages));
    return cpu.kind == CpuSetting::Kind::automatic ? *this : key("cpu", cpu_name(cpu));
}

const std::string &CaseName::text() const
{
    return text_;
}

} // namespace weft
