package io.headgate.deploy.simulate.openb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/// Chooses the order in which the tasks of a trace arrive, and the tasks that arrive again.
final class ArrivalOrder {
  private ArrivalOrder() {}

  /// The whole trace in random order, followed by random tasks of it until the next one would
  /// exceed the target. If the trace alone exceeds the target, random tasks are left out.
  ///
  /// The check before each further task counts one GPU for it, however many it asks for, because
  /// the published runs did so.
  ///
  /// @param targetMilli thousandths of GPUs
  static List<Pod> of(List<Pod> trace, long targetMilli, Random random) {
    List<Pod> arriving = new ArrayList<>(trace);
    arriving.sort(Comparator.comparing(Pod::name));
    List<Pod> byName = List.copyOf(arriving);
    Collections.shuffle(arriving, random);
    long sum = 0;
    for (Pod pod : arriving) {
      sum += pod.totalGpuMilli();
    }
    while (sum > targetMilli) {
      sum -= arriving.remove(random.nextInt(arriving.size())).totalGpuMilli();
    }
    if (arriving.size() < trace.size() || sum == 0) {
      return arriving;
    }
    Pod next = byName.get(random.nextInt(byName.size()));
    while (sum + next.gpuMilli() <= targetMilli) {
      arriving.add(next);
      sum += next.totalGpuMilli();
      next = byName.get(random.nextInt(byName.size()));
    }
    return arriving;
  }
}
