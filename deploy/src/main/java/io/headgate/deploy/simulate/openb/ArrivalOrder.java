package io.headgate.deploy.simulate.openb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/// In which order the tasks of a trace arrive, and which of them again.
final class ArrivalOrder {
  private ArrivalOrder() {}

  /// The whole trace in random order, then tasks of it drawn at random until the next one would ask
  /// for more than the target; of a trace that asks for more, tasks at random are left out.
  ///
  /// What is compared with the target is the sum and one GPU of the next task, whatever it asks
  /// for: so the published runs did.
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
