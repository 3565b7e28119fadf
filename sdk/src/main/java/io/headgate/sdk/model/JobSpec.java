package io.headgate.sdk.model;

import io.headgate.sdk.config.PullPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The specification of a job. Start from [#of] and change the parts that matter.
///
/// @param command program and arguments, run as they are, without a shell
/// @param workingDirectory absolute; null: a private directory of the attempt
/// @param maxRuntime the job is stopped after running this long; null: no limit
/// @param priority higher goes first within its queue, -1000 to 1000
/// @param preemptible null: as its policy says
/// @param abortCallback run before the job is stopped; null: none
/// @param terminationGrace between SIGTERM and SIGKILL; null: the server's default
/// @param draft the job does not wait in its queue yet
/// @param container image that provides the job's files; null: the files of its node
/// @param suspend longest time that a preempted job may stay in its node's memory, to go on where
///   it was; null: it is stopped
/// @param movable the scheduler may move it to make room, where its pool consolidates
/// @param after jobs that must end before it starts
/// @param notBefore its earliest start; null: as soon as it is its turn
/// @param copyNumber which of several equal jobs it is; null: it is the only one
public record JobSpec(
    String queue,
    List<String> command,
    Map<String, String> environment,
    @Nullable String workingDirectory,
    @Nullable Duration maxRuntime,
    int priority,
    @Nullable Boolean preemptible,
    @Nullable AbortCallback abortCallback,
    @Nullable Duration terminationGrace,
    Map<String, String> labels,
    boolean draft,
    @Nullable Container container,
    @Nullable Duration suspend,
    boolean movable,
    List<Dependency> after,
    @Nullable Instant notBefore,
    @Nullable CopyNumber copyNumber) {
  public JobSpec {
    command = List.copyOf(command);
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
    labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    after = List.copyOf(after);
  }

  /// A specification with the two mandatory values: the queue and the command.
  public static JobSpec of(String queue, List<String> command) {
    return new JobSpec(
        queue, command, Map.of(), null, null, 0, null, null, null, Map.of(), false, null, null,
        false, List.of(), null, null);
  }

  /// An image.
  ///
  /// @param image with its registry: `registry.example/team/train:1.2`
  /// @param pull when it is fetched; null: if it is not on the node
  public record Container(String image, @Nullable PullPolicy pull) {}

  /// Another job that must end first.
  ///
  /// @param job its id
  public record Dependency(String job, Condition condition) {
    /// How the other job must end.
    public enum Condition {
      /// With exit code 0.
      OK,
      /// In any way.
      ANY,
      /// In any other way than with exit code 0.
      FAIL
    }
  }

  /// The number of one of several equal jobs.
  ///
  /// @param index from 1 to count
  public record CopyNumber(int index, int count) {}

  public JobSpec withContainer(@Nullable Container value) {
    Copy copy = new Copy(this);
    copy.container = value;
    return copy.build();
  }

  public JobSpec withEnvironment(Map<String, String> value) {
    Copy copy = new Copy(this);
    copy.environment = value;
    return copy.build();
  }

  public JobSpec withWorkingDirectory(@Nullable String value) {
    Copy copy = new Copy(this);
    copy.workingDirectory = value;
    return copy.build();
  }

  public JobSpec withMaxRuntime(@Nullable Duration value) {
    Copy copy = new Copy(this);
    copy.maxRuntime = value;
    return copy.build();
  }

  public JobSpec withPriority(int value) {
    Copy copy = new Copy(this);
    copy.priority = value;
    return copy.build();
  }

  public JobSpec withPreemptible(@Nullable Boolean value) {
    Copy copy = new Copy(this);
    copy.preemptible = value;
    return copy.build();
  }

  public JobSpec withAbortCallback(@Nullable AbortCallback value) {
    Copy copy = new Copy(this);
    copy.abortCallback = value;
    return copy.build();
  }

  public JobSpec withTerminationGrace(@Nullable Duration value) {
    Copy copy = new Copy(this);
    copy.terminationGrace = value;
    return copy.build();
  }

  public JobSpec withLabels(Map<String, String> value) {
    Copy copy = new Copy(this);
    copy.labels = value;
    return copy.build();
  }

  public JobSpec withDraft(boolean value) {
    Copy copy = new Copy(this);
    copy.draft = value;
    return copy.build();
  }

  public JobSpec withSuspend(@Nullable Duration value) {
    Copy copy = new Copy(this);
    copy.suspend = value;
    return copy.build();
  }

  public JobSpec withMovable(boolean value) {
    Copy copy = new Copy(this);
    copy.movable = value;
    return copy.build();
  }

  public JobSpec withAfter(List<Dependency> value) {
    Copy copy = new Copy(this);
    copy.after = value;
    return copy.build();
  }

  public JobSpec withNotBefore(@Nullable Instant value) {
    Copy copy = new Copy(this);
    copy.notBefore = value;
    return copy.build();
  }

  public JobSpec withCopyNumber(@Nullable CopyNumber value) {
    Copy copy = new Copy(this);
    copy.copyNumber = value;
    return copy.build();
  }

  /// Saves a job's progress before it is stopped.
  ///
  /// @param timeout null: the server's default
  public record AbortCallback(List<String> command, @Nullable Duration timeout) {
    public AbortCallback {
      command = List.copyOf(command);
    }
  }

  /// A copy on its way.
  private static final class Copy {
    private String queue;
    private List<String> command;
    private Map<String, String> environment;
    private @Nullable String workingDirectory;
    private @Nullable Duration maxRuntime;
    private int priority;
    private @Nullable Boolean preemptible;
    private @Nullable AbortCallback abortCallback;
    private @Nullable Duration terminationGrace;
    private Map<String, String> labels;
    private boolean draft;
    private @Nullable Container container;
    private @Nullable Duration suspend;
    private boolean movable;
    private List<Dependency> after;
    private @Nullable Instant notBefore;
    private @Nullable CopyNumber copyNumber;

    Copy(JobSpec from) {
      queue = from.queue;
      command = from.command;
      environment = from.environment;
      workingDirectory = from.workingDirectory;
      maxRuntime = from.maxRuntime;
      priority = from.priority;
      preemptible = from.preemptible;
      abortCallback = from.abortCallback;
      terminationGrace = from.terminationGrace;
      labels = from.labels;
      draft = from.draft;
      container = from.container;
      suspend = from.suspend;
      movable = from.movable;
      after = from.after;
      notBefore = from.notBefore;
      copyNumber = from.copyNumber;
    }

    JobSpec build() {
      return new JobSpec(
          queue,
          command,
          environment,
          workingDirectory,
          maxRuntime,
          priority,
          preemptible,
          abortCallback,
          terminationGrace,
          labels,
          draft,
          container,
          suspend,
          movable,
          after,
          notBefore,
          copyNumber);
    }
  }
}
