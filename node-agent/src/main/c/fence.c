// Fences of a cgroup. The first is around devices: what a job may open, whatever nodes it finds or is given.
#include "supervisor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANY UINT32_MAX

const struct device STANDARD_DEVICES[] = {
    {"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7},  {"random", 1, 8},
    {"urandom", 1, 9}, {"tty", 5, 0},
};
const size_t STANDARD_DEVICE_COUNT = sizeof STANDARD_DEVICES / sizeof *STANDARD_DEVICES;

// Terminals of its own, of which only those of its /dev/pts can be reached.
static const struct device TERMINALS[] = {{"ptmx", 5, 2}, {"pts", 136, ANY}};

static const struct device *allowed(const struct walls *walls, size_t i) {
  if (i < STANDARD_DEVICE_COUNT) return &STANDARD_DEVICES[i];
  i -= STANDARD_DEVICE_COUNT;
  if (i < 2) return &TERMINALS[i];
  i -= 2;
  return i < walls->device_count ? &walls->devices[i] : NULL;
}

static bool put(int fd, const char *text) {
  size_t length = strlen(text);
  return write(fd, text, length) == (ssize_t)length;
}

bool fence_by_group(const struct walls *walls) {
  int directory = open(walls->fence_group, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return false;
  int deny = openat(directory, "devices.deny", O_WRONLY | O_CLOEXEC);
  int allow = openat(directory, "devices.allow", O_WRONLY | O_CLOEXEC);
  close(directory);
  bool done = deny >= 0 && allow >= 0 && put(deny, "a");
  const struct device *device;
  for (size_t i = 0; done && (device = allowed(walls, i)); i++) {
    char rule[48];
    if (device->minor == ANY) snprintf(rule, sizeof rule, "c %u:* rw", device->major);
    else snprintf(rule, sizeof rule, "c %u:%u rw", device->major, device->minor);
    done = put(allow, rule);
  }
  if (deny >= 0) close(deny);
  if (allow >= 0) close(allow);
  return done;
}

// A program is a list of comparisons: the first device that fits lets through, the end does not.
struct program {
  struct bpf_insn code[8 + 5 * (MAX_DEVICES + 16)];
  size_t length;
};

// A macro, because registers are fields of four bits that take constants only.
#define STEP(program, does, to, from, jump, number)                      \
  ((program)->code[(program)->length++] = (struct bpf_insn){             \
       .code = (does), .dst_reg = (to), .src_reg = (from), .off = (jump), \
       .imm = (int32_t)(number)})

static void answer(struct program *program, bool yes) {
  STEP(program, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, yes);
  STEP(program, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void compile(struct program *program, const struct walls *walls) {
  enum { LOAD = BPF_LDX | BPF_W | BPF_MEM, UNLESS = BPF_JMP | BPF_JNE | BPF_K };
  enum { KIND = BPF_REG_2, MAJOR = BPF_REG_3, MINOR = BPF_REG_4 };
  STEP(program, LOAD, KIND, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, access_type), 0);
  STEP(program, LOAD, MAJOR, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, major), 0);
  STEP(program, LOAD, MINOR, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, minor), 0);
  // The lower half holds the device kind, the upper half the requested access.
  STEP(program, BPF_ALU | BPF_AND | BPF_K, KIND, 0, 0, 0xffff);
  STEP(program, BPF_JMP | BPF_JEQ | BPF_K, KIND, 0, 2, BPF_DEVCG_DEV_CHAR);
  answer(program, false);
  const struct device *device;
  for (size_t i = 0; (device = allowed(walls, i)); i++) {
    bool any = device->minor == ANY;
    STEP(program, UNLESS, MAJOR, 0, any ? 2 : 3, device->major);
    if (!any) STEP(program, UNLESS, MINOR, 0, 2, device->minor);
    answer(program, true);
  }
  answer(program, false);
}

static int bpf(int command, union bpf_attr *attributes) {
  return (int)syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

static bool attach(const struct program *program, const char *cgroup, enum bpf_prog_type type,
                   enum bpf_attach_type where) {
  union bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.prog_type = type;
  attributes.expected_attach_type = where;
  attributes.insns = (uint64_t)(uintptr_t)program->code;
  attributes.insn_cnt = (uint32_t)program->length;
  attributes.license = (uint64_t)(uintptr_t) "Apache-2.0";
  int loaded = bpf(BPF_PROG_LOAD, &attributes);
  if (loaded < 0) return false;
  int directory = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  memset(&attributes, 0, sizeof attributes);
  attributes.target_fd = (uint32_t)directory;
  attributes.attach_bpf_fd = (uint32_t)loaded;
  attributes.attach_type = where;
  // Beside whatever fences the agent itself.
  attributes.attach_flags = BPF_F_ALLOW_MULTI;
  bool attached = directory >= 0 && bpf(BPF_PROG_ATTACH, &attributes) == 0;
  int error = errno;
  if (directory >= 0) close(directory);
  close(loaded); // the cgroup keeps it
  errno = error;
  return attached;
}

bool fence_by_program(const char *cgroup, const struct walls *walls) {
  static struct program program;
  program.length = 0;
  compile(&program, walls);
  return attach(&program, cgroup, BPF_PROG_TYPE_CGROUP_DEVICE, BPF_CGROUP_DEVICE);
}

// The second fence is around the services at which a cloud gives a machine its credentials. They answer HTTP, while
// names are often asked at the same addresses: port 53 stays open.
struct address {
  uint32_t words[4]; // as in the host's order
};

#define V4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

// Amazon, Google, Azure, Oracle, OpenStack and others; tasks of Amazon's ECS and pods of its EKS; Azure's host; Alibaba;
// Tencent; Scaleway. Not the whole of 169.254.0.0/16: machines that are wired to each other use it for their jobs.
static const uint32_t METADATA_V4[] = {V4(169, 254, 169, 254), V4(169, 254, 170, 2),   V4(169, 254, 170, 23),
                                       V4(168, 63, 129, 16),   V4(100, 100, 100, 200), V4(169, 254, 0, 23),
                                       V4(169, 254, 42, 42)};

// Amazon, its EKS, Google, OpenStack. The kernel hands an address of version 4 that a socket of version 6 asks for to this program, too.
static const struct address METADATA_V6[] = {{{0xfd000ec2, 0, 0, 0x254}},
                                             {{0xfd000ec2, 0, 0, 0x23}},
                                             {{0xfd2000ce, 0, 0, 0x254}},
                                             {{0xfe800000, 0, 0, 0xa9fea9fe}}};

#define V4_COUNT (sizeof METADATA_V4 / sizeof *METADATA_V4)
#define V6_COUNT (sizeof METADATA_V6 / sizeof *METADATA_V6)

enum { LOAD_WORD = BPF_LDX | BPF_W | BPF_MEM, UNLESS_EQUAL = BPF_JMP32 | BPF_JNE | BPF_K };

static void let_names_through(struct program *program) {
  STEP(program, LOAD_WORD, BPF_REG_2, BPF_REG_1, offsetof(struct bpf_sock_addr, user_port), 0);
  STEP(program, UNLESS_EQUAL, BPF_REG_2, 0, 2, htons(53));
  answer(program, true);
}

static void refuse_v4(struct program *program) {
  for (size_t i = 0; i < V4_COUNT; i++) {
    STEP(program, UNLESS_EQUAL, BPF_REG_2, 0, 2, htonl(METADATA_V4[i]));
    answer(program, false);
  }
}

static void refuse_v6(struct program *program, const struct address *address) {
  short past = 9; // what is left of this comparison
  for (int i = 0; i < 4; i++) {
    size_t word = offsetof(struct bpf_sock_addr, user_ip6) + sizeof(uint32_t) * (size_t)i;
    STEP(program, LOAD_WORD, BPF_REG_2, BPF_REG_1, (short)word, 0);
    past--;
    STEP(program, UNLESS_EQUAL, BPF_REG_2, 0, past, htonl(address->words[i]));
    past--;
  }
  answer(program, false);
}

static void refuse_mapped_v4(struct program *program) {
  static const uint32_t prefix[] = {0, 0, 0xffff};
  short past = 6 + 3 * V4_COUNT;
  for (int i = 0; i < 3; i++) {
    size_t word = offsetof(struct bpf_sock_addr, user_ip6) + sizeof(uint32_t) * (size_t)i;
    STEP(program, LOAD_WORD, BPF_REG_2, BPF_REG_1, (short)word, 0);
    past--;
    STEP(program, UNLESS_EQUAL, BPF_REG_2, 0, past, htonl(prefix[i]));
    past--;
  }
  STEP(program, LOAD_WORD, BPF_REG_2, BPF_REG_1,
       offsetof(struct bpf_sock_addr, user_ip6) + 3 * sizeof(uint32_t), 0);
  refuse_v4(program);
}

bool fence_metadata(const char *cgroup) {
  static struct program program;
  program.length = 0;
  let_names_through(&program);
  STEP(&program, LOAD_WORD, BPF_REG_2, BPF_REG_1, offsetof(struct bpf_sock_addr, user_ip4), 0);
  refuse_v4(&program);
  answer(&program, true);
  if (!attach(&program, cgroup, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_CONNECT)) return false;
  program.length = 0;
  let_names_through(&program);
  for (size_t i = 0; i < V6_COUNT; i++) refuse_v6(&program, &METADATA_V6[i]);
  refuse_mapped_v4(&program);
  answer(&program, true);
  return attach(&program, cgroup, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET6_CONNECT);
}
