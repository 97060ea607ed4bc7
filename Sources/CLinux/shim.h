#pragma once
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

/* Declared here because _GNU_SOURCE would make types that differ from those of Swift's Glibc module. */
const char *strerrordesc_np(int code);
char *secure_getenv(const char *name);
