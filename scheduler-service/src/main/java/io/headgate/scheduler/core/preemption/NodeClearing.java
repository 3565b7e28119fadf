package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.LiveAttempt;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Finds the sets of candidates of one node that make room for one more worker there.
///
/// For whole devices it tries each combination of as many devices as are missing, of which all
/// users are candidates. For a part of a device it tries, device by device, the sets of its users;
/// of users that are alike only how many. Processors or main memory that are still missing then
/// come from the node's other candidates, the first to go first.
///
/// A node of 8 devices has at most 70 combinations.
final class NodeClearing {
  /// Takes each set that was found.
  @FunctionalInterface
  interface Visitor {
    /// Looks at victims that make room.
    ///
    /// @param victims removed from the trial during the call
    void visit(Set<Candidate> victims);
  }

  /// A device and its users.
  ///
  /// @param last the place of the most protected user
  private record Users(int slot, List<Candidate> candidates, int last) {}

  private final RemovalTrial trial;
  private final NodeState node;
  private final Shape shape;

  /// In the order of victims.
  private final List<Candidate> candidates;

  private final Bounds bounds;
  private final Visitor visitor;
  private final Set<Candidate> removed = new LinkedHashSet<>();

  /// The number of workers that must fit.
  private final int wanted;

  /// The bounds of a search.
  interface Bounds {
    /// The most protected place that a victim may have.
    int last();

    /// Whether these may go together, beside those that were taken before.
    boolean permits(Set<Candidate> victims);

    /// Counts a step; false: there were too many.
    boolean step();
  }

  /// @param candidates of the node, in the order of victims; none of them is removed yet
  NodeClearing(
      RemovalTrial trial,
      NodeState node,
      List<Candidate> candidates,
      Bounds bounds,
      Visitor visitor) {
    this.trial = trial;
    this.node = node;
    this.shape = trial.shape();
    this.candidates = candidates;
    this.bounds = bounds;
    this.visitor = visitor;
    this.wanted = trial.workers(node) + 1;
  }

  /// Visits every set that suffices and is perhaps not worse than the bounds allow.
  void findAll() {
    List<Users> devices = devices();
    if (!shape.isFraction()) {
      clear(devices, 0, missing());
      return;
    }
    if (trial.room(node).workersByDevices(shape) >= wanted) {
      complete();
      return;
    }
    for (Users device : devices) {
      take(device.candidates(), 0);
    }
  }

  /// The devices that a worker could have, or a part of, with their users: the first to go first.
  private List<Users> devices() {
    Room room = trial.room(node);
    List<Users> devices = new ArrayList<>();
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      if (!room.mayServe(shape, slot)) {
        continue;
      }
      List<Candidate> users = new ArrayList<>();
      long units = 0;
      int last = -1;
      for (Candidate candidate : candidates) {
        long part = unitsOn(slot, candidate.attempt());
        if (part > 0) {
          users.add(candidate);
          units += part;
          last = candidate.place();
        }
      }
      if (!users.isEmpty() && (shape.isFraction() || room.wouldBeIdle(slot, units))) {
        devices.add(new Users(slot, users, last));
      }
    }
    devices.sort(Comparator.comparingInt(Users::last));
    return devices;
  }

  private int missing() {
    int idle = 0;
    Room room = trial.room(node);
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      if (room.isIdle(shape, slot)) {
        idle++;
      }
    }
    return Math.max(0, shape.wholeDevices() * wanted - idle);
  }

  private long unitsOn(int slot, LiveAttempt attempt) {
    if (attempt.isSuspended()) {
      return 0;
    }
    long units = 0;
    for (int worker = 0; worker < attempt.workers(); worker++) {
      if (attempt.nodes().get(worker) == node) {
        for (Slice slice : attempt.share(worker).slices()) {
          if (node.slot(slice.device()) == slot) {
            units += slice.quantity().units();
          }
        }
      }
    }
    return units;
  }

  /// Clears as many of the devices from the given one on.
  private void clear(List<Users> devices, int from, int missing) {
    if (missing == 0) {
      complete();
      return;
    }
    for (int i = from; i <= devices.size() - missing; i++) {
      Users device = devices.get(i);
      if (device.last() > bounds.last() || !bounds.step()) {
        return;
      }
      List<Candidate> added = new ArrayList<>();
      for (Candidate user : device.candidates()) {
        if (remove(user)) {
          added.add(user);
        }
      }
      if (bounds.permits(removed)) {
        clear(devices, i + 1, missing - 1);
      }
      added.forEach(this::restore);
    }
  }

  /// Takes users of one device from the given one on, until a part of it is free.
  private void take(List<Candidate> users, int from) {
    if (trial.room(node).workersByDevices(shape) >= wanted) {
      complete();
      return;
    }
    for (int i = from; i < users.size(); i++) {
      Candidate user = users.get(i);
      if (user.place() > bounds.last() || !bounds.step()) {
        return;
      }
      if (i > from && areAlike(users.get(i - 1).attempt(), user.attempt())) {
        continue;
      }
      remove(user);
      if (bounds.permits(removed)) {
        take(users, i + 1);
      }
      restore(user);
    }
  }

  /// Whether it makes no difference which of two users of a device goes, but for P3, by which the
  /// first of them goes first.
  private static boolean areAlike(LiveAttempt one, LiveAttempt other) {
    return !one.isSuspended()
        && !other.isSuspended()
        && one.policy() == other.policy()
        && one.job().queue() == other.job().queue()
        && one.job().priority() == other.job().priority()
        && one.workers() == 1
        && other.workers() == 1
        && areAlike(
            one.assignment().workers().getFirst().slices(),
            other.assignment().workers().getFirst().slices())
        && one.share(0).cpuMillis() == other.share(0).cpuMillis()
        && one.share(0).memoryBytes() == other.share(0).memoryBytes();
  }

  private static boolean areAlike(List<Slice> ones, List<Slice> others) {
    if (ones.size() != 1 || others.size() != 1) {
      return false;
    }
    Slice one = ones.getFirst();
    Slice other = others.getFirst();
    return one.placement().isEmpty()
        && other.placement().isEmpty()
        && one.quantity().equals(other.quantity())
        && one.memoryBytes() == other.memoryBytes();
  }

  /// Where the devices suffice: adds candidates until the worker fits in processors and main memory
  /// as well.
  private void complete() {
    if (trial.room(node).workersByDevices(shape) >= wanted) {
      complete(0);
    }
  }

  private void complete(int from) {
    if (trial.workers(node) >= wanted) {
      if (!removed.isEmpty()) {
        visitor.visit(removed);
      }
      return;
    }
    Candidate before = null;
    for (int i = from; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      if (candidate.place() > bounds.last() || !bounds.step()) {
        return;
      }
      boolean isLikeBefore = before != null && areAlike(before.attempt(), candidate.attempt());
      if (isLikeBefore || !mayHelp(candidate) || !remove(candidate)) {
        continue;
      }
      before = candidate;
      if (bounds.permits(removed)) {
        complete(i + 1);
      }
      restore(candidate);
    }
  }

  /// Whether the candidate uses processors or main memory, where the job needs some.
  private boolean mayHelp(Candidate candidate) {
    boolean helps = false;
    for (int worker = 0; worker < candidate.attempt().workers(); worker++) {
      if (candidate.attempt().nodes().get(worker) == node) {
        WorkerPlace share = candidate.attempt().share(worker);
        helps |= (shape.cpuMillis() > 0 && share.cpuMillis() > 0);
        helps |= (shape.memoryBytes() > 0 && share.memoryBytes() > 0);
      }
    }
    return helps;
  }

  private boolean remove(Candidate candidate) {
    if (!removed.add(candidate)) {
      return false;
    }
    trial.remove(candidate.attempt());
    return true;
  }

  private void restore(Candidate candidate) {
    removed.remove(candidate);
    trial.restore(candidate.attempt());
  }
}
