// A library for LD_PRELOAD: the process calls itself "recorder" in its name and its arguments.
#include <string.h>
#include <sys/prctl.h>

__attribute__((constructor)) static void renameProcess(int argc, char **argv) {
  prctl(PR_SET_NAME, "recorder");
  if (argc > 0) strncpy(argv[0], "recorder", strlen(argv[0]));
}
