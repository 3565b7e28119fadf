package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A scenario file: a configuration, nodes and jobs at 0s, and later events.
///
/// @param hasGroups whether groups restrict submission; without groups every user may submit
/// @param events in time order; events of one instant are one batch, in file order
public record ScenarioFile(
    Configuration configuration,
    boolean hasGroups,
    List<DeclaredNode> nodes,
    List<Running> running,
    List<Waiting> waiting,
    List<DeclaredEvent> events,
    Options options) {
  public static final String KIND = "Scenario";

  public ScenarioFile {
    nodes = List.copyOf(nodes);
    running = List.copyOf(running);
    waiting = List.copyOf(waiting);
    events = List.copyOf(events);
  }

  /// Machines of one kind.
  ///
  /// @param count more than one are called `name-0`, `name-1` and so on
  /// @param gpuModel null: the pool's, if it has one
  /// @param gpuMemoryBytes of each device; null: not counted
  /// @param cpuMillis thousandths of a core; null: not counted
  /// @param memoryBytes null: not counted
  /// @param isolation strongest that a part of a device gets; null: as the geometry provides
  public record DeclaredNode(
      String name,
      int count,
      String pool,
      int gpus,
      @Nullable String gpuModel,
      @Nullable Long gpuMemoryBytes,
      @Nullable Long cpuMillis,
      @Nullable Long memoryBytes,
      Geometry geometry,
      Profile.@Nullable Isolation isolation) {
    /// The name of one of them.
    public String nameOf(int index) {
      return numbered(name, index, count);
    }
  }

  /// How devices are divided.
  public enum Geometry implements Keyword {
    CONTINUOUS,
    MIG,
    AMD
  }

  /// A job.
  ///
  /// @param preemptible null: as its policy says
  /// @param movable whether it may be moved to make room (P11)
  /// @param maxRuntime its promise; null: none
  /// @param duration of its work; null: it runs until it is cancelled
  /// @param checkpoint how often it saves its work; null: a preempted job starts anew
  public record DeclaredJob(
      String name,
      String queue,
      String user,
      int priority,
      @Nullable Boolean preemptible,
      boolean movable,
      @Nullable Duration maxRuntime,
      @Nullable Duration duration,
      @Nullable Duration checkpoint) {}

  /// A job that runs at 0s.
  ///
  /// @param attempt the number of the attempt, from 1
  /// @param workers at least one
  public record Running(DeclaredJob job, int attempt, List<Worker> workers, Duration startedAgo) {
    public Running {
      workers = List.copyOf(workers);
    }
  }

  /// Where one worker runs.
  ///
  /// @param devices by ascending index
  public record Worker(String node, List<Share> devices) {
    public Worker {
      devices = List.copyOf(devices);
    }
  }

  /// A part of a device, or all of it.
  ///
  /// @param slice where on a device that has places; null: wherever it fits
  public record Share(int index, GpuQuantity gpus, @Nullable Place slice) {}

  /// A place on a device that has places, written `3g@4`.
  ///
  /// @param profile the size of the slice: `3g`, `CPX`
  /// @param start its first memory slice, from 0
  public record Place(String profile, int start) {
    private static final Pattern FORM = Pattern.compile("([0-9A-Za-z.+]{1,32})@([0-7])");

    /// Reads what [#toString] writes; empty: it is no place.
    static Optional<Place> parse(String text) {
      Matcher form = FORM.matcher(text);
      return form.matches()
          ? Optional.of(new Place(form.group(1), Integer.parseInt(form.group(2))))
          : Optional.empty();
    }

    @Override
    public String toString() {
      return profile + "@" + start;
    }
  }

  /// Jobs that wait at 0s.
  ///
  /// @param count more than one are called `name-0`, `name-1` and so on
  /// @param waitedSince for how long
  public record Waiting(DeclaredJob job, int count, Duration waitedSince) {}

  /// Something that happens at a time.
  public record DeclaredEvent(Duration at, Action action) {}

  /// The kinds of event.
  public sealed interface Action {
    /// Jobs are submitted.
    ///
    /// @param count more than one are called `name-0`, `name-1` and so on
    record Submit(DeclaredJob job, int count) implements Action {}

    record Cancel(String job) implements Action {}

    record NodeDown(String node) implements Action {}

    record NodeUp(String node) implements Action {}

    /// The configuration is this one from here on.
    record Configure(Configuration configuration) implements Action {}
  }

  /// How the simulated world behaves, and for how long.
  ///
  /// @param stopTime from the request to stop to freed capacity
  /// @param provisionTime from the request for an elastic instance to a node that takes work
  /// @param until null: until nothing can happen
  public record Options(Duration stopTime, Duration provisionTime, @Nullable Duration until) {
    public static final Options DEFAULT = new Options(Duration.ZERO, Duration.ofMinutes(2), null);
  }

  /// `name` of one, `name-2` of several.
  public static String numbered(String name, int index, int count) {
    return count == 1 ? name : name + "-" + index;
  }
}
