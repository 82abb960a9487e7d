/* SPDX-License-Identifier: MIT */
#include "machine/hypervisor.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "machine/read_file.h"

struct sign {
    const char *begins_with;
    const char *hypervisor;
};

static const char *find_sign(const struct sign *const signs, const size_t count,
                             const char *const text)
{
    for (size_t i = 0; i < count; ++i)
        if (strncmp(text, signs[i].begins_with, strlen(signs[i].begins_with)) == 0)
            return signs[i].hypervisor;
    return NULL;
}

#if defined(__x86_64__) || defined(__i386__)
/* Leaf 1 has a bit that stays clear on bare metal; leaf 0x40000000 has the signature. */
static const char *ask_processor(void)
{
    static const struct sign signs[] = {
        {"KVMKVMKVM", "kvm"},     {"Microsoft Hv", "hyperv"},   {"VMwareVMware", "vmware"},
        {"XenVMMXenVMM", "xen"},  {"TCGTCGTCGTCG", "qemu-tcg"}, {"bhyve bhyve", "bhyve"},
        {"VBoxVBoxVBox", "vbox"}, {"ACRNACRNACRN", "acrn"},     {" lrpepyh  vr", "parallels"},
    };
    static char signature[13];
    unsigned eax;
    unsigned ebx;
    unsigned ecx;
    unsigned edx;

    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        return NULL;
    if (!(ecx >> 31))
        return "none";
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    memcpy(signature, &ebx, 4);
    memcpy(signature + 4, &ecx, 4);
    memcpy(signature + 8, &edx, 4);
    const char *const name = find_sign(signs, sizeof(signs) / sizeof(signs[0]), signature);
    if (name)
        return name;
    return signature[0] ? signature : NULL;
}
#else
static const char *ask_processor(void)
{
    return NULL;
}
#endif

/* Firmware tables, where the processor has nothing to say. */
static const char *ask_firmware(void)
{
    static const struct sign tree_signs[] = {{"linux,kvm", "kvm"}, {"xen,xen", "xen"}};
    static const struct sign product_signs[] = {
        {"QEMU", "qemu"},
        {"KVM", "kvm"},
        {"VMware", "vmware"},
        {"Microsoft Corporation Virtual Machine", "hyperv"},
        {"Google Google Compute Engine", "kvm"},
        {"Apple Inc. Apple Virtualization", "apple"},
    };
    char text[160];
    char vendor[64];
    char product[64];

    if (weft_read_text(text, sizeof(text), "/proc/device-tree/hypervisor/compatible"))
        return find_sign(tree_signs, sizeof(tree_signs) / sizeof(tree_signs[0]), text);
    if (!weft_read_text(vendor, sizeof(vendor), "/sys/class/dmi/id/sys_vendor") ||
        !weft_read_text(product, sizeof(product), "/sys/class/dmi/id/product_name"))
        return NULL;
    if (strcmp(vendor, "Amazon EC2") == 0)
        return strstr(product, "metal") ? NULL : "nitro";
    snprintf(text, sizeof(text), "%s %s", vendor, product);
    return find_sign(product_signs, sizeof(product_signs) / sizeof(product_signs[0]), text);
}

const char *weft_hypervisor(void)
{
    static char type[32];
    const char *const told = ask_processor();

    if (told)
        return told;
    if (weft_read_text(type, sizeof(type), "/sys/hypervisor/type"))
        return type;
    return ask_firmware();
}
