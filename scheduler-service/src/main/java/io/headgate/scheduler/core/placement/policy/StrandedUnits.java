package io.headgate.scheduler.core.placement.policy;

/// How many free units of a node a task of the mix cannot use, on average (Weng et al., "Beware of
/// Fragmentation", USENIX ATC'23).
///
/// Idle capacity of a node is of no use to a task that does not fit there or takes no GPU. For a
/// task that fits, the free parts of devices that are too full for it are of no use. Example with
/// 1/4 and 1 GPU free: a task of 1/2 cannot use the 1/4, and a task of 2 GPUs can use nothing of
/// the 5/4. When half of the tasks are of each kind, the mean is 3/4.
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
