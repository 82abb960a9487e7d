/* SPDX-License-Identifier: MIT */
/* One cache line per step, so that a write-combining buffer is always filled whole. The width is
 * the widest that the build may use. */
#include "stream/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
typedef __m512d vector;
const char weft_stream_nt_kind[] = "avx512";
#elif defined(__AVX__)
typedef __m256d vector;
const char weft_stream_nt_kind[] = "avx";
#elif defined(__x86_64__)
typedef __m128d vector;
const char weft_stream_nt_kind[] = "sse2";
#elif defined(__aarch64__)
typedef float64x2_t vector;
const char weft_stream_nt_kind[] = "stnp";
#else
typedef double vector;
const char weft_stream_nt_kind[] = "plain";
#endif

enum { LINE_VECTORS = WEFT_STREAM_LINE_BYTES / sizeof(vector) };

ALWAYS_INLINE void store_line(double *const line, const vector *const values)
{
#if defined(__AVX512F__)
    _mm512_stream_pd(line, values[0]);
#elif defined(__AVX__)
    for (size_t i = 0; i < LINE_VECTORS; ++i)
        _mm256_stream_pd(line + 4 * i, values[i]);
#elif defined(__x86_64__)
    for (size_t i = 0; i < LINE_VECTORS; ++i)
        _mm_stream_pd(line + 2 * i, values[i]);
#elif defined(__aarch64__)
    for (size_t i = 0; i < LINE_VECTORS; i += 2)
        __asm__("stnp %q1, %q2, %0"
                : "=Q"(*(double(*)[4])(line + 2 * i))
                : "w"(values[i]), "w"(values[i + 1]));
#else
    for (size_t i = 0; i < LINE_VECTORS; ++i)
        line[i] = values[i];
#endif
}

/* Without it a release store, and so a barrier, would not order the stores on x86-64. */
ALWAYS_INLINE void complete_stores(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

ALWAYS_INLINE void stream_lines(vector (*const f)(vector left, vector right),
                                weft_stream_function *const rest, double *const result,
                                const double *const left, const double *const right,
                                const size_t count)
{
    const size_t whole = count - count % WEFT_STREAM_LINE_ELEMENTS;

    for (size_t i = 0; i < whole; i += WEFT_STREAM_LINE_ELEMENTS) {
        const vector *const a = (const vector *)(const void *)(left + i);
        const vector *const b = (const vector *)(const void *)(right + i);
        vector values[LINE_VECTORS];

        for (size_t j = 0; j < LINE_VECTORS; ++j)
            values[j] = f(a[j], b[j]);
        store_line(result + i, values);
    }
    if (whole < count)
        rest(result + whole, left + whole, right + whole, count - whole);
    complete_stores();
}

static inline vector copy(const vector left, const vector right)
{
    (void)right;
    return left;
}

static inline vector scale(const vector left, const vector right)
{
    (void)right;
    return (double)WEFT_STREAM_SCALE * left;
}

static inline vector add(const vector left, const vector right)
{
    return left + right;
}

static inline vector triad(const vector left, const vector right)
{
    return left + (double)WEFT_STREAM_SCALE * right;
}

void weft_stream_copy_nt(double *restrict const result, const double *restrict const left,
                         const double *restrict const right, const size_t count)
{
    stream_lines(copy, weft_stream_copy_plain, result, left, right, count);
}

void weft_stream_scale_nt(double *restrict const result, const double *restrict const left,
                          const double *restrict const right, const size_t count)
{
    stream_lines(scale, weft_stream_scale_plain, result, left, right, count);
}

void weft_stream_add_nt(double *restrict const result, const double *restrict const left,
                        const double *restrict const right, const size_t count)
{
    stream_lines(add, weft_stream_add_plain, result, left, right, count);
}

void weft_stream_triad_nt(double *restrict const result, const double *restrict const left,
                          const double *restrict const right, const size_t count)
{
    stream_lines(triad, weft_stream_triad_plain, result, left, right, count);
}
