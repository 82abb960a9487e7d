/* SPDX-License-Identifier: MIT */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *const left, const void *const right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

double weft_median(double *const values, const size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof(*values), compare_doubles);
    if (count % 2)
        return values[count / 2];
    return (values[count / 2 - 1] + values[count / 2]) / 2;
}

double weft_cv(const double *const values, const size_t count)
{
    double sum = 0;
    double squares = 0;

    if (count < 2)
        return NAN;
    for (size_t i = 0; i < count; ++i)
        sum += values[i];
    const double mean = sum / (double)count;
    if (mean == 0)
        return NAN;
    for (size_t i = 0; i < count; ++i)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (double)(count - 1)) / mean;
}
