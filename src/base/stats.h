/* SPDX-License-Identifier: MIT */
/* Order statistics and spread of a few measured values. */
#ifndef WEFT_BASE_STATS_H
#define WEFT_BASE_STATS_H

#include <stddef.h>

/* Sorts `values[count]` and returns the median: the mean of the middle two when `count` is even,
 * NaN when it is 0. */
double weft_median(double *values, size_t count);

/* Coefficient of variation: sample standard deviation over mean. NaN below two values or when the
 * mean is 0. */
double weft_cv(const double *values, size_t count);

#endif
