#pragma once
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <linux/sock_diag.h>
#include <linux/stat.h>
#include <linux/unix_diag.h>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The C library declares these functions only with _GNU_SOURCE. But with _GNU_SOURCE, the types would differ from the
   types of Swift's Glibc module. */
const char *strerrordesc_np(int code);
void *memrchr(const void *bytes, int byte, size_t count);
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int ends[2], int flags);
int ppoll(struct pollfd *entries, nfds_t count, const struct timespec *limit, const sigset_t *mask);
int renameat2(int from, const char *old, int to, const char *replacement, unsigned int flags);
int prlimit(pid_t process, int resource, const struct rlimit *limit, struct rlimit *former);
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t bytes, const void *processors);
int pthread_setaffinity_np(pthread_t thread, size_t bytes, const void *processors);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/* The kernel's struct ucred, and O_PATH, POSIX_SPAWN_SETSID, RENAME_NOREPLACE and F_SETPIPE_SZ. The C library declares
   them only with _GNU_SOURCE. */
struct peer_credentials { pid_t pid; uid_t uid; gid_t gid; };
enum { open_path_only = 010000000, spawn_new_session = 0x80, rename_no_replace = 1, set_pipe_size = 1031 };

/* These functions are not in every supported C library, and Swift cannot call the variadic syscall. */
static inline int pidfd_of(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
static inline int pidfd_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, 0, 0);
}

/* This function is written in C, because in some builds Swift cannot determine the module of struct timeval. */
static inline int limit_sending(int socket, time_t seconds, suseconds_t microseconds) {
  struct timeval limit = {seconds, microseconds};
  return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* Returns 1 if the clock is synchronized with a time server, 0 if it is not, or -1 if the kernel does not report it. */
static inline int clock_synchronized(void) {
  struct timex state = {.modes = 0};
  int answer = adjtimex(&state);
  return answer < 0 ? -1 : answer != TIME_ERROR && !(state.status & STA_UNSYNC);
}

/* Stores the processors that this thread may run on, one bit each. Returns the number of bytes stored, or -1. */
static inline long get_processors(unsigned long *processors, size_t bytes) {
  return syscall(SYS_sched_getaffinity, 0, bytes, processors);
}
static inline int current_processor(void) {
  unsigned int processor = 0;
  return syscall(SYS_getcpu, &processor, 0, 0) == 0 ? (int)processor : -1;
}

/* Creates a file in memory, without a path. The flag 1 is MFD_CLOEXEC. */
static inline int memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

/* The time in nanoseconds since 1970 at which a file was created, or -1 if the filesystem does not store it. */
static inline long long birth_time(const char *path) {
  struct statx status;
  /* -100 is AT_FDCWD, and 0x100 is AT_SYMLINK_NOFOLLOW. */
  if (syscall(SYS_statx, -100, path, 0x100, STATX_BTIME, &status) || !(status.stx_mask & STATX_BTIME)) return -1;
  return status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
}

static inline int open_beneath(int directory, const char *path, int flags) {
  struct open_how how = {.flags = (unsigned int)flags, .resolve = RESOLVE_BENEATH};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/* Requests a list of all Unix sockets, with their names and the sockets at the other ends. */
static inline long ask_unix_sockets(int netlink) {
  struct { struct nlmsghdr head; struct unix_diag_req question; } request = {
    {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
    {.sdiag_family = AF_UNIX, .udiag_states = -1u, .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER}};
  return send(netlink, &request, sizeof request, 0);
}

/* The limits as plain integers. Swift imports the names of <sys/resource.h> as an enumeration, and its type differs
   between C libraries. */
enum { memory_limit = RLIMIT_AS, data_limit = RLIMIT_DATA, processor_limit = RLIMIT_CPU,
       file_limit = RLIMIT_FSIZE, descriptor_limit = RLIMIT_NOFILE, core_limit = RLIMIT_CORE };
static inline int limit_resource(pid_t process, int resource, unsigned long long now,
                                 unsigned long long most) {
  struct rlimit limit = {now, most};
  return prlimit(process, resource, &limit, 0);
}

static inline unsigned long long resource_limit(int resource) {
  struct rlimit limit = {0, 0};
  return prlimit(0, resource, 0, &limit) == 0 ? limit.rlim_cur : 0;
}

/* The numbers of system calls. They differ between processor architectures. */
enum { call_read = SYS_read, call_write = SYS_write, call_pread = SYS_pread64, call_lseek = SYS_lseek,
       call_fstat = SYS_fstat, call_fstat_at = SYS_newfstatat, call_close = SYS_close,
       call_mmap = SYS_mmap, call_mprotect = SYS_mprotect, call_munmap = SYS_munmap,
       call_mremap = SYS_mremap, call_madvise = SYS_madvise, call_brk = SYS_brk,
       call_futex = SYS_futex, call_yield = SYS_sched_yield, call_time = SYS_clock_gettime,
       call_random = SYS_getrandom, call_mask = SYS_rt_sigprocmask,
       call_return = SYS_rt_sigreturn, call_exit = SYS_exit, call_exit_all = SYS_exit_group };
#if defined __x86_64__
static const unsigned int this_machine = AUDIT_ARCH_X86_64;
#elif defined __aarch64__
static const unsigned int this_machine = AUDIT_ARCH_AARCH64;
#endif
static inline int filter_calls(const struct sock_filter *steps, unsigned short count) {
  struct sock_fprog program = {count, (struct sock_filter *)steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* The address at which the kernel stored the number of arguments. The arguments follow this number. */
extern void *__libc_stack_end;
static inline char *_Nullable *_Nonnull program_arguments(int *_Nonnull count) {
  long *top = (long *)__libc_stack_end;
  *count = (int)top[0];
  return (char *_Nullable *_Nonnull)(top + 1);
}

/* Swift cannot assign to this variable. The store is atomic, because other threads may read the variable at the same
   time. */
extern char **__environ;
static inline void exchange_environment(char **list) {
  __atomic_store_n(&__environ, list, __ATOMIC_RELEASE);
}

/* The C library declares this function only with _GNU_SOURCE. */
void *memmem(const void *bytes, size_t count, const void *part, size_t part_count);
