#pragma once

/* Glibc hides it without _GNU_SOURCE. */
int memfd_create(const char *name, unsigned int flags);
