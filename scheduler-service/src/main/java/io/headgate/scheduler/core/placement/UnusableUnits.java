package io.headgate.scheduler.core.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Finds the idle units of a pool that no job of its shapes can take at present. The pool's
/// ceiling, the places of divided devices, or the CPUs and the memory of the nodes are in the way.
///
/// The free capacity of a node is filled with workers on trial. A fill begins with one shape, as
/// often as it fits, and goes on with the other shapes, the largest first. Each of the [#FIRST]
/// largest shapes begins one fill, and the best fill counts. Example: 2 GPUs and 4 CPUs are free,
/// and each job needs 1 GPU and 4 CPUs. Then one GPU is usable, and the other is not.
///
/// The result of a fill is kept for each state of a node. So a call costs one look-up for each
/// state, and a fill for each new one.
final class UnusableUnits {
  /// Bounds the work for a pool of many shapes.
  static final int FIRST = 16;

  /// Without names, so that two shapes which are equal here are equal to every decision.
  private static final Comparator<Shape> LARGEST_FIRST =
      Comparator.comparingLong(Shape::needUnits)
          .reversed()
          .thenComparingLong(Shape::cpuMillis)
          .thenComparingLong(Shape::memoryBytes)
          .thenComparing(Shape::toString);

  private List<Shape> shapes = List.of();
  private final Map<FreeState, Long> usable = new HashMap<>();

  /// @param asked the shapes of the jobs that may use the pool
  /// @param groups the nodes that take work
  /// @param idle free units, as far as the ceiling lets jobs start on them
  long of(Collection<Shape> asked, Collection<StateGroup> groups, long idle) {
    use(startable(asked, groups, idle));
    long free = 0;
    long fitting = 0;
    for (StateGroup group : groups) {
      int nodes = group.nodes().size();
      free += nodes * group.state().totalUnits();
      fitting += nodes * usable.computeIfAbsent(group.state(), this::fill);
    }
    forgetOldStates(groups);
    long startable = idle < free ? Math.min(fitting, fillCeiling(idle)) : fitting;
    return Math.max(0, idle - startable);
  }

  /// The shapes of jobs that could start, apart from their rights; a gang with all its workers.
  private static List<Shape> startable(
      Collection<Shape> asked, Collection<StateGroup> groups, long idle) {
    List<Shape> startable = new ArrayList<>();
    for (Shape shape : asked) {
      if (shape.units() > 0 && shape.needUnits() <= idle && hasWorkers(shape, groups)) {
        startable.add(shape);
      }
    }
    startable.sort(LARGEST_FIRST);
    return startable;
  }

  private static boolean hasWorkers(Shape shape, Collection<StateGroup> groups) {
    long missing = shape.workers();
    for (StateGroup group : groups) {
      missing -= (long) group.nodes().size() * group.state().workers(shape);
      if (missing <= 0) {
        return true;
      }
    }
    return false;
  }

  private void use(List<Shape> startable) {
    if (!startable.equals(shapes)) {
      shapes = startable;
      usable.clear();
    }
  }

  private void forgetOldStates(Collection<StateGroup> groups) {
    if (usable.size() > 2 * groups.size() + 64) {
      usable.keySet().retainAll(groups.stream().map(StateGroup::state).toList());
    }
  }

  /// The most units of the node that a fill takes.
  private long fill(FreeState state) {
    long most = 0;
    for (Shape first : shapes.subList(0, Math.min(FIRST, shapes.size()))) {
      if (most == state.totalUnits()) {
        return most;
      }
      FreeState left = filled(first, state);
      for (Shape next : shapes) {
        left = filled(next, left);
      }
      most = Math.max(most, state.totalUnits() - left.totalUnits());
    }
    return most;
  }

  private static FreeState filled(Shape shape, FreeState state) {
    FreeState left = state;
    while (left.workers(shape) > 0) {
      left = left.without(shape);
    }
    return left;
  }

  /// The most units below the ceiling that whole jobs take.
  private long fillCeiling(long room) {
    long most = 0;
    for (Shape first : shapes) {
      long left = room % first.needUnits();
      for (Shape next : shapes) {
        left %= next.needUnits();
      }
      most = Math.max(most, room - left);
    }
    return most;
  }
}
