/* What a DADA header says: shape and coding, sample rate and band, start time. */
#include "io/dada.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static clradio_status shape_of(const clr_dada_header *header, clr_dada_facts *facts)
{
    uint64_t bits, dimensions;
    char text[64];
    clradio_status status;
    if ((status = clr_dada_count(header, "NCHAN", 1, &facts->channels)) ||
        (status = clr_dada_count(header, "NPOL", 1, &facts->polarisations)) ||
        (status = clr_dada_count(header, "NDIM", 1, &dimensions)))
        return status;
    if (!clr_dada_text(header, "NBIT", text, sizeof text))
        return clr_fail(CLRADIO_ERROR_FORMAT, "the DADA header has no NBIT");
    int negative = *text == '-'; /* -32: float, as some write it */
    if (!clr_parse_u64(text + negative, &bits) || (bits != 8 && bits != 16 && bits != 32) ||
        (negative && bits != 32))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "NBIT is '%s'; 8, 16 and 32 can be read", text);
    if (dimensions != 1 && dimensions != 2)
        return clr_fail(CLRADIO_ERROR_FORMAT, "NDIM is %llu; it is 1 (real) or 2 (complex)",
                        (unsigned long long)dimensions);
    if (!facts->channels || facts->channels > 1u << 24 || !facts->polarisations ||
        facts->polarisations > 65536)
        return clr_fail(CLRADIO_ERROR_FORMAT, "NCHAN %llu and NPOL %llu are no possible sizes",
                        (unsigned long long)facts->channels,
                        (unsigned long long)facts->polarisations);
    if (clr_dada_text(header, "ORDER", text, sizeof text)) {
        facts->order_tpf = !strcasecmp(text, "TPF");
        if (strcasecmp(text, "TFP") && !facts->order_tpf &&
            facts->channels * facts->polarisations > 1)
            return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "ORDER is '%s'; TFP and TPF can be read",
                            text);
    }
    if (clr_dada_text(header, "ENDIAN", text, sizeof text) && bits > 8 &&
        strncasecmp(text, "LITTLE", 6))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "ENDIAN is '%s'; LITTLE can be read", text);
    clr_coding *coding = &facts->coding;
    coding->bits = (unsigned)bits;
    coding->complex_samples = dimensions == 2;
    coding->kind = bits == 32 ? CLR_IEEE_FLOAT : CLR_TWOS_COMPLEMENT;
    if (clr_dada_text(header, "ENCODING", text, sizeof text)) {
        if (!strncasecmp(text, "OFFSET", 6))
            coding->kind = CLR_OFFSET_BINARY;
        else if (!strncasecmp(text, "TWOS", 4))
            coding->kind = CLR_TWOS_COMPLEMENT;
    }
    clr_coding_prepare(coding);
    facts->sample_bytes =
        (size_t)(facts->channels * facts->polarisations * dimensions * (bits / 8));
    return CLRADIO_OK;
}

/* The rate, from TSAMP in microseconds or BYTES_PER_SECOND; a decimal TSAMP hides whole rates. */
static clradio_status rate_of(clr_source *source, const clr_dada_header *header,
                              clr_dada_facts *facts)
{
    double tsamp_us, bytes_per_second;
    clradio_status status;
    if ((status = clr_dada_number(header, "TSAMP", 0, &tsamp_us)) ||
        (status = clr_dada_number(header, "BYTES_PER_SECOND", 0, &bytes_per_second)) ||
        (status = clr_dada_number(header, "FREQ", 0, &facts->frequency_mhz)) ||
        (status = clr_dada_number(header, "BW", 0, &facts->bandwidth_mhz)))
        return status;
    double rate = tsamp_us > 1e-9 ? 1e6 / tsamp_us : 0;
    if (fabs(rate - floor(rate + 0.5)) < 1e-9 * rate)
        rate = floor(rate + 0.5);
    double by_bytes = bytes_per_second > 0 ? bytes_per_second / (double)facts->sample_bytes : 0;
    if (rate > 0 && by_bytes > 0 && fabs(by_bytes - rate) > 1e-6 * rate)
        clr_source_add_remark(source,
                              "BYTES_PER_SECOND means %.12g Hz and TSAMP %.12g Hz; TSAMP is used",
                              by_bytes, rate);
    else if (by_bytes > 0)
        rate = by_bytes;
    if (source->options.sample_rate_hz > 0) {
        if (rate > 0 && rate != source->options.sample_rate_hz)
            clr_source_add_remark(source, "the header says %.12g Hz; the sample rate given is used",
                                  rate);
        rate = source->options.sample_rate_hz;
    }
    facts->sample_rate_hz = rate;
    return CLRADIO_OK;
}

static clradio_status start_of(clr_source *source, const clr_dada_header *header,
                               clr_dada_facts *facts)
{
    char utc_text[128], mjd_text[128];
    clr_time utc = { 0 }, mjd = { 0 };
    int has_utc = clr_dada_text(header, "UTC_START", utc_text, sizeof utc_text) &&
                  clr_time_parse_utc(utc_text, &utc);
    int has_mjd = clr_dada_text(header, "MJD_START", mjd_text, sizeof mjd_text) &&
                  clr_time_parse_mjd(mjd_text, &mjd);
    if (*utc_text && !has_utc)
        clr_source_add_remark(source, "UTC_START is '%s', which is no time", utc_text);
    facts->start_known = has_utc || has_mjd;
    facts->start = has_utc ? utc : mjd;
    if (has_utc && has_mjd && fabs(clr_time_difference(utc, mjd)) > 1.5e-3)
        clr_source_add_remark(source,
                              "MJD_START differs from UTC_START by %.6g s; UTC_START is used",
                              clr_time_difference(mjd, utc));
    uint64_t offset, overlap, picoseconds;
    clradio_status status;
    if ((status = clr_dada_count(header, "OBS_OFFSET", 0, &offset)) ||
        (status = clr_dada_count(header, "OBS_OVERLAP", 0, &overlap)) ||
        (status = clr_dada_count(header, "PICOSECONDS", 0, &picoseconds)))
        return status;
    facts->overlap = overlap / facts->sample_bytes;
    if (picoseconds && has_utc)
        facts->start = clr_time_add_samples(facts->start, (int64_t)(picoseconds & INT64_MAX), 1e12);
    if (offset > INT64_MAX / 2)
        return clr_fail(CLRADIO_ERROR_FORMAT, "OBS_OFFSET %llu is no possible place",
                        (unsigned long long)offset);
    facts->start_exact = !offset || facts->sample_rate_hz > 0;
    if (!facts->start_exact)
        clr_source_add_remark(source,
                              "OBS_OFFSET is %llu bytes, a time that is unknown without a "
                              "sample rate",
                              (unsigned long long)offset);
    /* In bytes, so that an offset inside a sample counts too. */
    facts->start = clr_time_add_samples(facts->start, (int64_t)offset,
                                        facts->sample_rate_hz * (double)facts->sample_bytes);
    return CLRADIO_OK;
}

clradio_status clr_dada_read_facts(clr_source *source, const clr_dada_header *header,
                                   clr_dada_facts *facts)
{
    *facts = (clr_dada_facts){ 0 };
    clradio_status status = shape_of(header, facts);
    if (!status)
        status = rate_of(source, header, facts);
    return status ? status : start_of(source, header, facts);
}
