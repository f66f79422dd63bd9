/* What the library exports. Everything else is hidden (-fvisibility=hidden, and a version script
 * behind it). */
#ifndef CLRADIO_EXPORT_H
#define CLRADIO_EXPORT_H

#if defined(CLRADIO_STATIC)
#define CLRADIO_API
#elif defined(__GNUC__)
#define CLRADIO_API __attribute__((visibility("default")))
#else
#define CLRADIO_API
#endif

#ifdef __cplusplus
#define CLRADIO_BEGIN_DECLS extern "C" {
#define CLRADIO_END_DECLS }
#else
#define CLRADIO_BEGIN_DECLS
#define CLRADIO_END_DECLS
#endif

#endif
