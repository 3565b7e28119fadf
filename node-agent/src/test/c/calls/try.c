// Makes system calls with arguments that make no sense, and tells how each ends: "mount EFAULT". As root
// and without a filter none of those named below is refused, so EPERM is the filter's word.
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
  const char *name;
  long number;
} SENSELESS[] = {
#define CALL(name) {#name, SYS_##name}
    CALL(mount), CALL(umount2), CALL(pivot_root), CALL(chroot), CALL(open_tree), CALL(move_mount),
    CALL(fsopen), CALL(fsconfig), CALL(fsmount), CALL(fspick), CALL(mount_setattr),
    {"open_tree_attr", 467}, {"file_setattr", 469},
    CALL(setns), CALL(bpf), CALL(perf_event_open), CALL(init_module), CALL(finit_module),
    CALL(delete_module), CALL(kexec_load), CALL(kexec_file_load),
    CALL(add_key), CALL(request_key), CALL(keyctl), CALL(userfaultfd), CALL(io_uring_setup),
    CALL(io_uring_enter), CALL(io_uring_register), CALL(open_by_handle_at), CALL(fanotify_init),
    CALL(swapon), CALL(swapoff), CALL(quotactl), CALL(quotactl_fd), CALL(settimeofday),
    CALL(clock_settime), CALL(sethostname), CALL(setdomainname), CALL(reboot), CALL(acct),
    CALL(syslog), CALL(vhangup),
#if defined(__x86_64__)
    CALL(iopl), CALL(ioperm), CALL(modify_ldt), CALL(uselib), CALL(ustat), CALL(sysfs),
    CALL(_sysctl), CALL(create_module), CALL(get_kernel_syms), CALL(query_module),
#endif
    CALL(nfsservctl), CALL(lookup_dcookie),
};

static void tell(const char *name, long result) {
  printf("%s %s\n", name, result >= 0 ? "done" : strerrorname_np(errno));
}

// In a child each, because some would change what comes after.
static void apart(const char *name, long (*act)(void)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    tell(name, act());
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("%s SIG%s\n", name, sigabbrev_np(WTERMSIG(status)));
}

static long unshare_network(void) { return syscall(SYS_unshare, CLONE_NEWNET); }
static long unshare_user(void) { return syscall(SYS_unshare, CLONE_NEWUSER); }
static long unshare_time(void) { return syscall(SYS_unshare, CLONE_NEWTIME); }
static long unshare_files(void) { return syscall(SYS_unshare, CLONE_FILES | CLONE_FS); }

static long clone_with(unsigned long flags) {
  long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid;
}
static long clone_user(void) { return clone_with(CLONE_NEWUSER); }
static long clone_mounts(void) { return clone_with(CLONE_NEWNS); }
static long clone_plain(void) { return clone_with(0); }
static long clone_3(void) { return syscall(SYS_clone3, NULL, 0); }

// The owner of a file may change its project, and so the quota that counts it.
static long change(unsigned long request) {
  int own = open(".", O_TMPFILE | O_RDWR, 0600);
  struct fsxattr attributes = {0};
  return ioctl(own, request, &attributes);
}
static long set_project(void) { return change(FS_IOC_FSSETXATTR); }
static long set_flags(void) { return change(FS_IOC_SETFLAGS); }
static long get_project(void) { return change(FS_IOC_FSGETXATTR); }

static long younger(void) { return syscall(480, 0, 0, 0); }
static long skipped(void) { return syscall(-1, 0, 0, 0); }

static long vsock(void) { return socket(40, SOCK_STREAM, 0); }
static long alg(void) { return socket(38, SOCK_SEQPACKET, 0); }
static long packet(void) { return socket(17, SOCK_RAW, 0); }
static long tipc_pair(void) { return socketpair(30, SOCK_STREAM, 0, (int[2]){0}); }
static long unix_pair(void) { return socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}); }
static long inet(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static long netlink(void) { return socket(AF_NETLINK, SOCK_RAW, 0); }

static long ask_personality(void) { return syscall(SYS_personality, 0xffffffffUL); }
static long fixed_addresses(void) { return syscall(SYS_personality, 0x0040000UL); }
static long readable_is_executable(void) { return syscall(SYS_personality, 0x0400000UL); }

#if defined(__x86_64__)
static long x32(void) { return syscall(0x40000000 | SYS_getpid); }
static long i386(void) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
  return result;
}
#endif

int main(void) {
  for (size_t i = 0; i < sizeof SENSELESS / sizeof *SENSELESS; i++) {
    tell(SENSELESS[i].name, syscall(SENSELESS[i].number, -1L, -1L, -1L, -1L, -1L, -1L));
  }
  apart("unshare-network", unshare_network);
  apart("unshare-user", unshare_user);
  apart("unshare-time", unshare_time);
  apart("clone-user", clone_user);
  apart("clone-mounts", clone_mounts);
  apart("set-project", set_project);
  apart("set-flags", set_flags);
  puts("-");
  apart("get-project", get_project);
  apart("unshare-files", unshare_files);
  apart("clone-plain", clone_plain);
  apart("clone3", clone_3);
  apart("younger", younger);
  apart("skipped", skipped);
  apart("vsock", vsock);
  apart("alg", alg);
  apart("packet", packet);
  apart("tipc-pair", tipc_pair);
  apart("unix-pair", unix_pair);
  apart("inet", inet);
  apart("netlink", netlink);
  apart("ask-personality", ask_personality);
  apart("fixed-addresses", fixed_addresses);
  apart("readable-is-executable", readable_is_executable);
#if defined(__x86_64__)
  apart("x32", x32);
  apart("i386", i386);
#endif
  return EXIT_SUCCESS;
}
