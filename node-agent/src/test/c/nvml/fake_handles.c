#include "fake.h"

handle handle_of(enum kind kind, int gpu, int gi) {
  static struct handle made[4][MAX_GPUS][64];
  handle one = &made[kind][gpu][gi < 0 ? 0 : gi];
  *one = (struct handle){.kind = kind, .gpu = gpu, .gi = gi};
  return one;
}

status begin_on(const char *function, handle about, enum kind kind) {
  status answer = begin(function);
  if (answer != OK) return answer;
  if (!about || about->kind != kind) return INVALID_ARGUMENT;
  if (state_exists("%d/lost", about->gpu)) return GPU_IS_LOST;
  if (kind != GPU && !state_exists("%d/gi/%d/info", about->gpu, about->gi)) return NOT_FOUND;
  return OK;
}
