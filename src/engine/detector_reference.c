/* The detector's reference up to the triangle: whitening, sorted QR, linear estimates. */
#include "engine/detector_reference.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef double _Complex cd;

/* As SORT_TIE of cl/detector_common.cl: columns so near in norm count as equal. */
#define CLR_SORT_TIE 0.99999

/* What came in, by columns, and the real-valued model of it. */
typedef struct input {
    uint32_t rows, streams;
    cd h[CLR_MOST_TRANSMIT][CLR_MOST_RECEIVE], y[CLR_MOST_RECEIVE];
} input;

typedef struct matrix {
    uint32_t rows, columns;
    double h[CLR_MOST_LEVELS][2 * CLR_MOST_RECEIVE], y[2 * CLR_MOST_RECEIVE];
    uint32_t column[CLR_MOST_LEVELS]; /* 2 stream + axis */
} matrix;

static cd element(const float *array, size_t index)
{
    return array[2 * index] + I * array[2 * index + 1];
}

/* y and H become L^-1 y and L^-1 H, with L L^H the covariance. 0 when it is not positive definite.
 */
static int whiten(input *m, const float *covariance)
{
    const uint32_t n = m->rows;
    static _Thread_local cd l[CLR_MOST_RECEIVE][CLR_MOST_RECEIVE];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            cd sum = element(covariance, (size_t)i * n + j);
            for (uint32_t k = 0; k < j; k++)
                sum -= l[i][k] * conj(l[j][k]);
            if (i == j && !(creal(sum) > 0 && creal(sum) < INFINITY))
                return 0;
            l[i][j] = i == j ? sqrt(creal(sum)) : sum / creal(l[j][j]);
        }
    for (uint32_t c = 0; c <= m->streams; c++) {
        cd *column = c < m->streams ? m->h[c] : m->y;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < i; k++)
                column[i] -= l[i][k] * column[k];
            column[i] /= creal(l[i][i]);
        }
    }
    return 1;
}

static double norm_from(const double *column, uint32_t first, uint32_t rows)
{
    double sum = 0;
    for (uint32_t i = first; i < rows; i++)
        sum += column[i] * column[i];
    return sum;
}

static void exchange(matrix *m, uint32_t a, uint32_t b)
{
    const uint32_t keep = m->column[a];
    m->column[a] = m->column[b];
    m->column[b] = keep;
    for (uint32_t i = 0; i < m->rows; i++) {
        const double z = m->h[a][i];
        m->h[a][i] = m->h[b][i];
        m->h[b][i] = z;
    }
}

/* Puts the smallest column of first .. last - 1, as it is from `row` on, at `first`. */
static void sort_next(matrix *m, uint32_t first, uint32_t last, uint32_t row)
{
    uint32_t smallest = first;
    double least = norm_from(m->h[first], row, m->rows);
    for (uint32_t c = first + 1; c < last; c++) {
        const double norm = norm_from(m->h[c], row, m->rows);
        if (norm < least * CLR_SORT_TIE) {
            least = norm;
            smallest = c;
        }
    }
    exchange(m, first, smallest);
}

/* Householder's reflection that clears column k below the diagonal, which becomes positive. */
static void reflect(matrix *m, uint32_t k)
{
    double v[2 * CLR_MOST_RECEIVE];
    const double norm = sqrt(norm_from(m->h[k], k, m->rows)), first = m->h[k][k];
    if (!(norm > 0))
        return;
    const double sign = first < 0 ? -1 : 1;
    for (uint32_t i = k; i < m->rows; i++)
        v[i] = m->h[k][i];
    v[k] += sign * norm;
    const double factor = 1 / (norm * (norm + fabs(first)));
    for (uint32_t c = k + 1; c <= m->columns; c++) {
        double *column = c < m->columns ? m->h[c] : m->y, sum = 0;
        for (uint32_t i = k; i < m->rows; i++)
            sum += v[i] * column[i];
        for (uint32_t i = k; i < m->rows; i++)
            column[i] -= v[i] * (sum * factor);
        column[k] *= -sign;
    }
    m->h[k][k] = norm;
}

/* Triangularises; columns before `last` are sorted as they are reached, by twos when paired. */
static void triangularise(matrix *m, uint32_t last, int paired)
{
    for (uint32_t k = 0; k < m->columns && k < m->rows; k++) {
        if (k + 1 < last && !(paired && k % 2)) {
            sort_next(m, k, last, k);
            for (uint32_t c = k + 1; paired && c < last; c++)
                if (m->column[c] / 2 == m->column[k] / 2)
                    exchange(m, c, k + 1);
        }
        reflect(m, k);
    }
}

/* fsd: the streams that an inverse of the channel enhances the noise of most come last. Returns
 * the number of columns before them. */
static uint32_t full_streams_last(matrix *m, uint32_t full)
{
    static _Thread_local matrix q;
    double weakness[CLR_MOST_TRANSMIT] = { 0 };
    uint32_t end = m->columns;
    q = *m;
    triangularise(&q, 0, 0);
    for (uint32_t c = 0; c < m->columns; c++) { /* column c of R^-1 */
        double x[CLR_MOST_LEVELS] = { 0 };
        for (uint32_t i = c + 1; i-- > 0;) {
            double sum = i == c;
            for (uint32_t j = i + 1; j <= c; j++)
                sum -= q.h[j][i] * x[j];
            x[i] = sum / fmax(i < m->rows ? q.h[i][i] : 0, 1e-30);
            weakness[m->column[i] / 2] += x[i] * x[i];
        }
    }
    for (uint32_t f = 0; f < full; f++) {
        uint32_t weakest = 0;
        for (uint32_t s = 1; s < CLR_MOST_TRANSMIT; s++)
            if (weakness[s] > weakness[weakest])
                weakest = s;
        weakness[weakest] = -1;
        for (uint32_t c = end; c-- > 0;)
            if (m->column[c] / 2 == weakest)
                exchange(m, c, --end);
    }
    return end;
}

static void order_and_triangularise(const clradio_detector_config *config, matrix *m)
{
    const int paired = clr_detector_modulation(config, 0) == CLRADIO_ALPHABET;
    uint32_t last = m->columns;
    if (config->method == CLRADIO_DETECTOR_FSD)
        last = full_streams_last(m, config->full_streams);
    else if (config->ordering != CLRADIO_ORDERING_SORTED || config->method == CLRADIO_DETECTOR_ML)
        last = 0;
    if (config->ordering == CLRADIO_ORDERING_NORM && !last)
        for (uint32_t k = 0; k + 1 < m->columns && !paired; k++)
            sort_next(m, k, m->columns, 0);
    triangularise(m, last, paired);
}

static void make_real(const clradio_detector_config *config, const input *in, matrix *m)
{
    const int odd = (config->flags & CLRADIO_DETECTOR_ODD_INTEGER) != 0;
    m->rows = 2 * in->rows;
    m->columns = 0;
    for (uint32_t s = 0; s < in->streams; s++) {
        const clradio_modulation modulation = clr_detector_modulation(config, s);
        const int own = modulation == CLRADIO_ALPHABET;
        const cd turn = modulation == CLRADIO_BPSK ? (1 + I) / sqrt(2) : 1;
        const cd factor = own ? 1 : clr_modulation_scale(modulation, odd) * turn;
        uint32_t points[2];
        clr_modulation_axes(modulation, &points[0], &points[1]);
        for (uint32_t axis = 0; axis < 2; axis++) {
            if (!own && points[axis] < 2)
                continue;
            for (uint32_t i = 0; i < in->rows; i++) {
                const cd z = in->h[s][i] * factor * (axis ? I : 1);
                m->h[m->columns][2 * i] = creal(z);
                m->h[m->columns][2 * i + 1] = cimag(z);
            }
            m->column[m->columns++] = 2 * s + axis;
        }
    }
    for (uint32_t i = 0; i < in->rows; i++) {
        m->y[2 * i] = creal(in->y[i]);
        m->y[2 * i + 1] = cimag(in->y[i]);
    }
}

static int load(const clradio_detector_config *config, const clr_detector_vector *vector, matrix *m)
{
    static _Thread_local input in;
    double all = 0;
    in.rows = config->receive;
    in.streams = config->transmit;
    for (uint32_t i = 0; i < in.rows; i++) {
        in.y[i] = element(vector->received, i);
        all += fabs(creal(in.y[i])) + fabs(cimag(in.y[i]));
        for (uint32_t s = 0; s < in.streams; s++) {
            in.h[s][i] = element(vector->channel, (size_t)i * in.streams + s);
            all += fabs(creal(in.h[s][i])) + fabs(cimag(in.h[s][i]));
        }
    }
    if (!(all < INFINITY) || (vector->covariance && !whiten(&in, vector->covariance)))
        return 0;
    make_real(config, &in, m);
    return 1;
}

int clr_reference_prepare(const clradio_detector_config *config, const clr_detector_vector *vector,
                          clr_prepared *p)
{
    static _Thread_local matrix m;
    const int per_real = (config->flags & CLRADIO_DETECTOR_NOISE_PER_REAL) != 0;
    memset(p, 0, sizeof *p);
    p->config = config;
    p->prior = vector->prior;
    p->noise_variance = vector->covariance ? 1 : vector->noise_variance * (per_real ? 2 : 1);
    if (!(p->noise_variance >= 0 && p->noise_variance < INFINITY) || !load(config, vector, &m))
        return 0;
    double frobenius = 0, longest = 0;
    const double received = norm_from(m.y, 0, m.rows);
    for (uint32_t c = 0; c < m.columns; c++)
        frobenius += norm_from(m.h[c], 0, m.rows);
    order_and_triangularise(config, &m);
    p->levels = m.columns;
    for (uint32_t l = 0; l < p->levels; l++) {
        uint32_t points[2];
        p->stream[l] = m.column[l] / 2;
        p->axis[l] = m.column[l] % 2;
        clr_modulation_axes(clr_detector_modulation(config, p->stream[l]), &points[0], &points[1]);
        p->points[l] = points[p->axis[l]];
        const double most = p->points[l] ? p->points[l] - 1.0 : 1;
        p->energy[l] = most * (most + 2) / 3;
        longest += most * most;
        for (uint32_t i = 0; i <= l && i < m.rows; i++)
            p->r[i][l] = m.h[l][i];
        p->y[l] = l < m.rows ? m.y[l] : 0;
    }
    if (p->levels < m.rows)
        p->rest = norm_from(m.y, p->levels, m.rows);
    p->error = (8 + 2 * (config->receive + config->transmit)) * (DBL_EPSILON / 2) *
               (sqrt(received) + sqrt(frobenius) * sqrt(longest));
    return 1;
}

double clr_reference_slack(const clr_prepared *p, double metric)
{
    return 4 * p->error * (sqrt(metric + p->rest) + p->error);
}

double clr_reference_metric(const clr_prepared *p, const uint32_t *index)
{
    double metric = 0;
    for (uint32_t i = 0; i < p->levels; i++) {
        double z = p->y[i];
        for (uint32_t l = i; l < p->levels; l++)
            z -= p->r[i][l] * (2.0 * index[l] + 1 - p->points[l]);
        metric += z * z;
    }
    return metric;
}

/* L L^T = R^T R + diagonal; 0 on L's diagonal where a column has nothing of its own. */
static void factorise(const clr_prepared *p, clr_linear kind, double l[][CLR_MOST_LEVELS])
{
    for (uint32_t i = 0; i < p->levels; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = i == j && kind != CLR_LINEAR_ZF ? p->noise_variance / 2 / p->energy[i] : 0;
            for (uint32_t k = 0; k <= j; k++)
                sum += p->r[k][i] * p->r[k][j];
            for (uint32_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j)
                l[i][i] = sum > 0 ? sqrt(sum) : 0;
            else
                l[i][j] = l[j][j] > 0 ? sum / l[j][j] : 0;
        }
}

void clr_reference_linear(const clr_prepared *p, clr_linear kind, double *estimate,
                          double *variance)
{
    const uint32_t n = p->levels;
    double l[CLR_MOST_LEVELS][CLR_MOST_LEVELS], x[CLR_MOST_LEVELS];
    factorise(p, kind, l);
    for (uint32_t c = 0; c <= n; c++) { /* columns of the inverse, then the estimates */
        /* a stream of which nothing is received has no estimate, and a variance beyond all bounds
         */
        const double inverse_of_zero = c < n ? 1e15 : 0;
        for (uint32_t i = 0; i < n; i++) {
            x[i] = c == i;
            for (uint32_t k = 0; k <= i && c == n; k++)
                x[i] += p->r[k][i] * p->y[k];
            for (uint32_t k = 0; k < i; k++)
                x[i] -= l[i][k] * x[k];
            x[i] = l[i][i] > 0 ? x[i] / l[i][i] : x[i] * inverse_of_zero;
        }
        for (uint32_t i = n; i-- > 0;) {
            for (uint32_t k = i + 1; k < n; k++)
                x[i] -= l[k][i] * x[k];
            x[i] = l[i][i] > 0 ? x[i] / l[i][i] : x[i] * inverse_of_zero;
        }
        if (c < n)
            variance[c] = p->noise_variance / 2 * x[c];
    }
    for (uint32_t i = 0; i < n; i++) {
        const double bias = kind != CLR_LINEAR_ZF ? 1 - variance[i] / p->energy[i] : 1;
        estimate[i] = kind == CLR_LINEAR_MMSE_BIASED ? x[i] : bias > 0 ? x[i] / bias : 0;
        variance[i] = bias > 0 ? variance[i] / bias : INFINITY;
    }
}

void clr_reference_slice(const clr_prepared *p, const double *estimate, uint32_t *index)
{
    for (uint32_t l = 0; l < p->levels; l++) {
        const double most = p->points[l] - 1.0, at = rint((estimate[l] + most) / 2);
        index[l] = at > 0 ? (uint32_t)fmin(at, most) : 0;
    }
}

double clr_reference_start(const clr_prepared *p)
{
    double estimate[CLR_MOST_LEVELS], variance[CLR_MOST_LEVELS];
    uint32_t index[CLR_MOST_LEVELS];
    if (p->config->radius == CLRADIO_RADIUS_INFINITE)
        return INFINITY;
    if (p->config->radius == CLRADIO_RADIUS_GIVEN)
        return p->config->radius_factor * p->noise_variance;
    clr_reference_linear(p, CLR_LINEAR_MMSE_BIASED, estimate, variance);
    clr_reference_slice(p, estimate, index);
    return p->config->radius_factor * clr_reference_metric(p, index);
}

void clr_reference_labels(const clr_prepared *p, const uint32_t *index, uint32_t *labels)
{
    uint32_t axes[CLR_MOST_TRANSMIT][2] = { { 0 } };
    for (uint32_t l = 0; l < p->levels; l++)
        axes[p->stream[l]][p->axis[l]] = index[l];
    for (uint32_t s = 0; s < p->config->transmit; s++)
        labels[s] =
            clr_modulation_join(clr_detector_modulation(p->config, s), axes[s][0], axes[s][1]);
}
