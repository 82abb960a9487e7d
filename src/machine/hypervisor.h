/* SPDX-License-Identifier: MIT */
#ifndef WEFT_MACHINE_HYPERVISOR_H
#define WEFT_MACHINE_HYPERVISOR_H

/* What this system runs under: "kvm", "xen", ..., a hypervisor's own signature where weft has no
 * name for it, "none" only where the processor says so; NULL when the machine does not tell. The
 * string is valid until the next call. */
const char *weft_hypervisor(void);

#endif
