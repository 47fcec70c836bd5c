/*
 * distsniff/public.h - declarations between these two macros are the library's interface: they have C
 * linkage and are exported.
 */
#ifndef DISTSNIFF_PUBLIC_H
#define DISTSNIFF_PUBLIC_H

#ifdef __cplusplus
#define DS_BEGIN_PUBLIC extern "C" { _Pragma("GCC visibility push(default)")
#define DS_END_PUBLIC _Pragma("GCC visibility pop") }
#else
#define DS_BEGIN_PUBLIC _Pragma("GCC visibility push(default)")
#define DS_END_PUBLIC _Pragma("GCC visibility pop")
#endif

#endif
