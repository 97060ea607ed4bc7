#pragma once

/* How often the calling thread has asked the C library for memory; -1 where a sanitizer owns malloc. */
long allocations_of_this_thread(void);
