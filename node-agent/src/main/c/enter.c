#include "supervisor.h"

#include <errno.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void limit(__rlimit_resource_t resource, rlim_t wanted) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return;
  struct rlimit limit = {wanted, wanted};
  // Raising the hard limit takes a privilege that the agent may lack.
  if (setrlimit(resource, &limit) != 0 && now.rlim_max < wanted) {
    limit.rlim_cur = limit.rlim_max = now.rlim_max;
    setrlimit(resource, &limit);
  }
}

static void set_limits(const struct walls *walls) {
  if (walls->files) limit(RLIMIT_NOFILE, (rlim_t)walls->files);
  if (walls->processes) limit(RLIMIT_NPROC, (rlim_t)walls->processes);
  if (!walls->has_user) return;
  limit(RLIMIT_CORE, 0);
  // Memory that devices read by themselves has to be locked; how much there is, the cgroup says.
  limit(RLIMIT_MEMLOCK, RLIM_INFINITY);
}

static bool give_up_privileges(uid_t user) {
  for (unsigned long capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;) capability++;
  if (errno != EINVAL) return false;
  // With it would come whatever keys the agent was started with.
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
  return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 &&
         setresuid(user, user, user) == 0;
}

bool enter_walls(const struct walls *walls, int inside_fd) {
  if (inside_fd >= 0) {
    int namespaces = CLONE_NEWNS | CLONE_NEWIPC | (walls->own_network ? CLONE_NEWNET : 0);
    if (setns(inside_fd, namespaces) != 0) return false;
  }
  set_limits(walls);
  return !walls->has_user || give_up_privileges(walls->user);
}
