#include "supervisor.h"

#include <time.h>

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t boot_ms(void) { return read_clock(CLOCK_BOOTTIME); }

int64_t wall_ms(void) { return read_clock(CLOCK_REALTIME); }

int64_t later(int64_t now, int64_t delay_ms) {
  return delay_ms >= NEVER - now ? NEVER : now + delay_ms;
}
