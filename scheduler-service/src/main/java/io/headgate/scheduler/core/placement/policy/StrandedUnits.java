package io.headgate.scheduler.core.placement.policy;

/// How many free units of a node a task of the mix cannot use, on average (Weng et al., "Beware of
/// Fragmentation", USENIX ATC'23).
///
/// To a task that does not fit on the node, or takes no GPU, all is of no use; to one that does,
/// what is free on the devices that are too full for it. With 1/4 and 1 free: to a task of 1/2 the
/// quarter is; to one of 2 GPUs all is, 5/4; when half of the tasks are of each kind the mean is
/// 3/4.
final class StrandedUnits {
  private final TaskTable tasks;

  StrandedUnits(TaskTable tasks) {
    this.tasks = tasks;
  }

  double of(Space space) {
    if (Double.isNaN(space.stranded)) {
      double sum = 0;
      for (int task = 0; task < tasks.count; task++) {
        sum += tasks.share[task] * stranded(task, space);
      }
      space.stranded = sum;
    }
    return space.stranded;
  }

  private long stranded(int task, Space space) {
    long tooFull = 0;
    long total = 0;
    int fitting = 0;
    for (int i = 0; i < space.units.length; i++) {
      int free = space.units[i];
      total += free;
      if (!tasks.admits(task, space.models[i])) {
        tooFull += free;
        continue;
      }
      if (free < tasks.units[task]) {
        tooFull += free;
      } else {
        fitting++;
      }
    }
    boolean fits =
        tasks.devices[task] > 0
            && space.cpuMillis >= tasks.cpuMillis[task]
            && fitting >= tasks.devices[task];
    return fits ? tooFull : total;
  }
}
