// The seccomp filter: the system calls that a job may make. It admits every call that programs, threads, debuggers and
// GPU libraries need. It refuses calls that no job needs and that expose faults of the kernel. The other walls refuse
// most of these too, but only after kernel code has run that had vulnerabilities before.
//
// A refused call fails with EPERM, as for any program without privileges, so programs handle it. A call that has an
// older substitute fails with ENOSYS: it looks absent, and programs fall back. A socket of another family fails with
// EAFNOSUPPORT, as on a kernel without that family. A call of another ABI ends the job (SIGSYS).
#include "supervisor.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Younger calls than these headers may know; their numbers are the same everywhere.
#define OPEN_TREE_ATTR 467
#define FILE_SETATTR 469
// System calls added after Linux 6.17 (file_setattr) are not reviewed yet; they look absent.
#define YOUNGEST_KNOWN 469

// A 32-bit ABI of x86-64 has its calls from here on; and a tracer that skips a call makes it number -1.
#define X32_BIT 0x40000000u
#define SKIPPED 0xffffffffu

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
// In clone(), unlike unshare(), CLONE_NEWTIME would be a part of the signal at the end.
#define NEW_NAMESPACES \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

// PER_LINUX32 and UNAME26 change what uname() says; ADDR_NO_RANDOMIZE is what debuggers and sanitizers start programs
// with. All other personalities make memory executable or imitate other systems.
#define GOOD_PERSONALITY (0x0008u | 0x0020000u | 0x0040000u)

static const unsigned short REFUSED[] = {
    // Mounts. They take root's rights, which a process also has as root of a user namespace.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, OPEN_TREE_ATTR,
    // Namespaces of others; those that a job makes are refused below, by their flags.
    SYS_setns,
    // Programs in the kernel, and counters of the kernel and the processors, for all of the machine.
    SYS_bpf, SYS_perf_event_open, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
    // Keyrings know no namespaces: what one job puts there another one may find by its number.
    SYS_add_key, SYS_request_key, SYS_keyctl,
    // A fault that a program handles itself holds the kernel still in the middle of something.
    SYS_userfaultfd,
    // Calls that are made on a job's behalf elsewhere, past this filter.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    // Files by number, past the directories that lead to them; and all that others open.
    SYS_open_by_handle_at, SYS_fanotify_init,
    // The project of a file, which its owner may change, and by which the space of a job is limited.
    FILE_SETATTR,
    // The machine: its disks, clock, name, power, terminals, accounts, and what its kernel wrote.
    SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_quotactl_fd, SYS_settimeofday, SYS_clock_settime,
    SYS_sethostname, SYS_setdomainname, SYS_reboot, SYS_vhangup, SYS_acct, SYS_syslog,
#if defined(__x86_64__)
    // Ports of the hardware, and segments that only 16- and 32-bit programs have.
    SYS_iopl, SYS_ioperm, SYS_modify_ldt,
    // Relics that no program of our time calls.
    SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl, SYS_create_module, SYS_get_kernel_syms,
    SYS_query_module,
#endif
    SYS_nfsservctl, SYS_lookup_dcookie,
};
// Calls that the filter admits deliberately:
//
//     ptrace, process_vm_readv, pidfd_getfd  used by debuggers and profilers, and by libraries that share GPU
//                                            memory and copy between ranks; processes outside the job belong
//                                            to other users and lie outside its process namespace
//     adjtimex, clock_adjtime                also read the clock's state; the request is in memory, where no
//                                            filter sees it, and a change needs privileges
//     mbind, set_mempolicy, move_pages       place memory beside the GPU; for the job's own processes only
//     seccomp                                a job may refuse itself more

// Anything else makes the kernel load protocols that hardly anybody looks after, and AF_VSOCK leads to the
// hypervisor past every network namespace.
static const unsigned short FAMILIES[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MAX_LENGTH (COUNT(REFUSED) * 2 + COUNT(FAMILIES) * 4 + 64)

struct program {
  struct sock_filter code[MAX_LENGTH];
  size_t length;
};

static void add(struct program *program, unsigned code, unsigned operand, size_t yes, size_t no) {
  program->code[program->length++] =
      (struct sock_filter)BPF_JUMP((unsigned short)code, operand, (unsigned char)yes, (unsigned char)no);
}

static void load(struct program *program, size_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

// The lower half of an argument; of those that are looked at the kernel ignores the other one, or refuses
// it. Numbers are little-endian on every machine that this is built for.
static void load_argument(struct program *program, size_t index) {
  load(program, offsetof(struct seccomp_data, args) + index * sizeof(uint64_t));
}

static void end(struct program *program, unsigned verdict) {
  add(program, BPF_RET | BPF_K, verdict, 0, 0);
}

static unsigned failing_with(unsigned error) { return SECCOMP_RET_ERRNO | error; }

static void end_if(struct program *program, unsigned condition, unsigned operand, unsigned verdict) {
  add(program, BPF_JMP | condition | BPF_K, operand, 0, 1);
  end(program, verdict);
}

// Begins what holds for one call only; what follows it skips up to where end_of_call() was.
static size_t begin_call(struct program *program, unsigned number) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0);
  return program->length - 1;
}

static void end_call(struct program *program, size_t begin) {
  end(program, SECCOMP_RET_ALLOW);
  program->code[begin].jf = (unsigned char)(program->length - begin - 1);
}

static void refuse_flags(struct program *program, unsigned number, unsigned flags) {
  size_t call = begin_call(program, number);
  load_argument(program, 0);
  end_if(program, BPF_JSET, flags, failing_with(EPERM));
  end_call(program, call);
}

static void allow_families(struct program *program, unsigned number) {
  size_t call = begin_call(program, number);
  load_argument(program, 0);
  for (size_t i = 0; i < COUNT(FAMILIES); i++) {
    end_if(program, BPF_JEQ, FAMILIES[i], SECCOMP_RET_ALLOW);
  }
  end(program, failing_with(EAFNOSUPPORT));
  end_call(program, call);
}

// Requests of ioctl() that change the project of a file, or whether files made in a directory inherit it.
static void keep_projects(struct program *program) {
  size_t call = begin_call(program, SYS_ioctl);
  load_argument(program, 1);
  end_if(program, BPF_JEQ, (unsigned)FS_IOC_FSSETXATTR, failing_with(EPERM));
  end_if(program, BPF_JEQ, (unsigned)FS_IOC_SETFLAGS, failing_with(EPERM));
  end_call(program, call);
}

static void allow_personalities(struct program *program) {
  size_t call = begin_call(program, SYS_personality);
  load_argument(program, 0);
  end_if(program, BPF_JEQ, 0xffffffffu, SECCOMP_RET_ALLOW); // it only asks
  end_if(program, BPF_JSET, ~GOOD_PERSONALITY, failing_with(EPERM));
  end_call(program, call);
}

#ifdef OWN_ARCHITECTURE
static void write_program(struct program *program) {
  // Other architectures number their calls otherwise, so what passes here would be another call there.
  load(program, offsetof(struct seccomp_data, arch));
  add(program, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
  end(program, SECCOMP_RET_KILL_PROCESS);
  load(program, offsetof(struct seccomp_data, nr));
  end_if(program, BPF_JEQ, SKIPPED, SECCOMP_RET_ALLOW);
#if defined(__x86_64__)
  end_if(program, BPF_JSET, X32_BIT, SECCOMP_RET_KILL_PROCESS);
#endif
  end_if(program, BPF_JGT, YOUNGEST_KNOWN, failing_with(ENOSYS));
  for (size_t i = 0; i < COUNT(REFUSED); i++) {
    end_if(program, BPF_JEQ, REFUSED[i], failing_with(EPERM));
  }
  // Its flags are in memory, where no filter sees them; C libraries go on with clone().
  end_if(program, BPF_JEQ, SYS_clone3, failing_with(ENOSYS));
  refuse_flags(program, SYS_clone, NEW_NAMESPACES);
  refuse_flags(program, SYS_unshare, NEW_NAMESPACES | CLONE_NEWTIME);
  allow_families(program, SYS_socket);
  allow_families(program, SYS_socketpair);
  allow_personalities(program);
  keep_projects(program);
  end(program, SECCOMP_RET_ALLOW);
}

bool filter_calls(void) {
  struct program program = {.length = 0};
  write_program(&program);
  struct sock_fprog loaded = {.len = (unsigned short)program.length, .filter = program.code};
  // Without that flag older kernels slow down all that the job computes, to protect it from itself.
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &loaded) == 0;
}
#else
bool filter_calls(void) {
  errno = ENOTSUP;
  return false;
}
#endif
