package io.headgate.scheduler.benchmark;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// The attempts that run. All it does costs the same however many there are, so that a benchmark
/// measures the core and not itself.
final class RunningAttempts {
  private final List<AttemptId> order = new ArrayList<>();
  private final Map<AttemptId, Integer> places = new HashMap<>();
  private final Map<AttemptId, Integer> workers = new HashMap<>();

  void add(Attempt attempt) {
    places.put(attempt.id(), order.size());
    workers.put(attempt.id(), attempt.workers().size());
    order.add(attempt.id());
  }

  boolean isEmpty() {
    return order.isEmpty();
  }

  boolean contains(AttemptId attempt) {
    return places.containsKey(attempt);
  }

  AttemptId any(RandomGenerator random) {
    return order.get(random.nextInt(order.size()));
  }

  /// All workers of it end by themselves.
  List<Input> end(AttemptId attempt) {
    List<Input> inputs = new ArrayList<>();
    for (int worker = remove(attempt) - 1; worker >= 0; worker--) {
      inputs.add(new Input.WorkerExited(attempt, worker, 0));
    }
    return inputs;
  }

  /// All workers of it stop, as they were asked to; nothing if they have ended already.
  List<Input> stop(AttemptId attempt) {
    List<Input> inputs = new ArrayList<>();
    for (int worker = remove(attempt) - 1; worker >= 0; worker--) {
      inputs.add(new Input.WorkerStopped(attempt, worker));
    }
    return inputs;
  }

  /// @return how many workers it had; 0 when it does not run
  private int remove(AttemptId attempt) {
    Integer place = places.remove(attempt);
    if (place == null) {
      return 0;
    }
    AttemptId last = order.removeLast();
    if (place < order.size()) {
      order.set(place, last);
      places.put(last, place);
    }
    Integer count = workers.remove(attempt);
    return count == null ? 0 : count;
  }
}
