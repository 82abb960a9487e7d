/* SPDX-License-Identifier: MIT */
#include "machine/cpu_model.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <sys/types.h>
#include <sys/sysctl.h>
#endif

#include "machine/affinity.h"
#include "machine/read_file.h"

struct code_name {
    unsigned code;
    const char *name;
};

/* MIDR_EL1, bits 31 to 24 */
static const struct code_name implementers[] = {
    {0x41, "Arm"},       {0x42, "Broadcom"}, {0x43, "Cavium"}, {0x46, "Fujitsu"},
    {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},   {0x50, "APM"},    {0x51, "Qualcomm"},
    {0x53, "Samsung"},   {0x56, "Marvell"},  {0x61, "Apple"},  {0x6d, "Microsoft"},
    {0x70, "Phytium"},   {0xc0, "Ampere"},
};

/* Implementer, and bits 15 to 4, the part. */
static const struct code_name parts[] = {
    {0x41d03, "Cortex-A53"},   {0x41d04, "Cortex-A35"},   {0x41d05, "Cortex-A55"},
    {0x41d07, "Cortex-A57"},   {0x41d08, "Cortex-A72"},   {0x41d09, "Cortex-A73"},
    {0x41d0a, "Cortex-A75"},   {0x41d0b, "Cortex-A76"},   {0x41d0c, "Neoverse-N1"},
    {0x41d0d, "Cortex-A77"},   {0x41d0e, "Cortex-A76AE"}, {0x41d40, "Neoverse-V1"},
    {0x41d41, "Cortex-A78"},   {0x41d42, "Cortex-A78AE"}, {0x41d44, "Cortex-X1"},
    {0x41d46, "Cortex-A510"},  {0x41d47, "Cortex-A710"},  {0x41d48, "Cortex-X2"},
    {0x41d49, "Neoverse-N2"},  {0x41d4a, "Neoverse-E1"},  {0x41d4b, "Cortex-A78C"},
    {0x41d4d, "Cortex-A715"},  {0x41d4e, "Cortex-X3"},    {0x41d4f, "Neoverse-V2"},
    {0x41d80, "Cortex-A520"},  {0x41d81, "Cortex-A720"},  {0x41d82, "Cortex-X4"},
    {0x41d84, "Neoverse-V3"},  {0x41d85, "Cortex-X925"},  {0x41d87, "Cortex-A725"},
    {0x41d8e, "Neoverse-N3"},  {0x430af, "ThunderX2"},    {0x46001, "A64FX"},
    {0x48d01, "TaiShan v110"}, {0x51001, "Oryon"},        {0x61022, "M1 Icestorm"},
    {0x61023, "M1 Firestorm"}, {0xc0ac3, "Ampere-1"},     {0xc0ac4, "Ampere-1A"},
};

static const char *find_name(const struct code_name *const names, const size_t count,
                             const unsigned code)
{
    for (size_t i = 0; i < count; ++i)
        if (names[i].code == code)
            return names[i].name;
    return NULL;
}

void weft_midr_name(char *const text, const size_t capacity, const uint64_t midr)
{
    const unsigned implementer = (unsigned)(midr >> 24) & 0xff;
    const unsigned part = (unsigned)(midr >> 4) & 0xfff;
    const char *const maker =
        find_name(implementers, sizeof(implementers) / sizeof(implementers[0]), implementer);
    const char *const core =
        find_name(parts, sizeof(parts) / sizeof(parts[0]), implementer << 12 | part);

    if (maker && core)
        snprintf(text, capacity, "%s %s", maker, core);
    else if (maker)
        snprintf(text, capacity, "%s part 0x%03x", maker, part);
    else
        snprintf(text, capacity, "implementer 0x%02x part 0x%03x", implementer, part);
}

#ifdef __aarch64__
static bool cpuinfo_hex(uint64_t *const value, const char *const key)
{
    char text[32];

    if (!weft_read_field(text, sizeof(text), key, "/proc/cpuinfo"))
        return false;
    *value = strtoull(text, NULL, 0);
    return true;
}

static bool read_midr(uint64_t *const midr)
{
    char text[32];
    uint64_t implementer;
    uint64_t variant = 0;
    uint64_t part;
    uint64_t revision = 0;
    int cpu = 0;

    weft_affinity_order(&cpu, 1);
    if (weft_read_text(text, sizeof(text),
                       "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu)) {
        *midr = strtoull(text, NULL, 16);
        return true;
    }
    if (!cpuinfo_hex(&implementer, "CPU implementer") || !cpuinfo_hex(&part, "CPU part"))
        return false;
    cpuinfo_hex(&variant, "CPU variant");
    cpuinfo_hex(&revision, "CPU revision");
    *midr = implementer << 24 | variant << 20 | (uint64_t)0xf << 16 | part << 4 | revision;
    return true;
}
#endif

bool weft_cpu_model(char *const text, const size_t capacity)
{
#if defined(__APPLE__)
    size_t size = capacity;

    return sysctlbyname("machdep.cpu.brand_string", text, &size, NULL, 0) == 0;
#else
#if defined(__aarch64__)
    uint64_t midr;

    if (read_midr(&midr)) {
        weft_midr_name(text, capacity, midr);
        return true;
    }
#endif
    return weft_read_field(text, capacity, "model name", "/proc/cpuinfo") ||
           weft_read_text(text, capacity, "/proc/device-tree/model");
#endif
}

bool weft_cpu_id(char *const text, const size_t capacity)
{
#ifdef __aarch64__
    uint64_t midr;

    if (!read_midr(&midr))
        return false;
    snprintf(text, capacity, "midr 0x%08llx", (unsigned long long)midr);
    return true;
#else
    char family[16];
    char model[16];
    char stepping[16];

    if (!weft_read_field(family, sizeof(family), "cpu family", "/proc/cpuinfo") ||
        !weft_read_field(model, sizeof(model), "model", "/proc/cpuinfo") ||
        !weft_read_field(stepping, sizeof(stepping), "stepping", "/proc/cpuinfo"))
        return false;
    snprintf(text, capacity, "family %s model %s stepping %s", family, model, stepping);
    return true;
#endif
}
