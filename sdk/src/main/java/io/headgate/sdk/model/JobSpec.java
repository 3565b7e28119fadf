package io.headgate.sdk.model;

import io.headgate.sdk.config.PullPolicy;
import java.time.Duration;
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
    boolean movable) {
  public JobSpec {
    command = List.copyOf(command);
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
    labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
  }

  /// A specification with the two mandatory values: the queue and the command.
  public static JobSpec of(String queue, List<String> command) {
    return new JobSpec(
        queue, command, Map.of(), null, null, 0, null, null, null, Map.of(), false, null, null,
        false);
  }

  /// An image.
  ///
  /// @param image with its registry: `registry.example/team/train:1.2`
  /// @param pull when it is fetched; null: if it is not on the node
  public record Container(String image, @Nullable PullPolicy pull) {}

  public JobSpec withContainer(@Nullable Container image) {
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
        image,
        suspend,
        movable);
  }

  public JobSpec withEnvironment(Map<String, String> values) {
    return new JobSpec(
        queue,
        command,
        values,
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
        movable);
  }

  public JobSpec withWorkingDirectory(@Nullable String directory) {
    return new JobSpec(
        queue,
        command,
        environment,
        directory,
        maxRuntime,
        priority,
        preemptible,
        abortCallback,
        terminationGrace,
        labels,
        draft,
        container,
        suspend,
        movable);
  }

  public JobSpec withMaxRuntime(@Nullable Duration limit) {
    return new JobSpec(
        queue,
        command,
        environment,
        workingDirectory,
        limit,
        priority,
        preemptible,
        abortCallback,
        terminationGrace,
        labels,
        draft,
        container,
        suspend,
        movable);
  }

  public JobSpec withPriority(int value) {
    return new JobSpec(
        queue,
        command,
        environment,
        workingDirectory,
        maxRuntime,
        value,
        preemptible,
        abortCallback,
        terminationGrace,
        labels,
        draft,
        container,
        suspend,
        movable);
  }

  public JobSpec withPreemptible(@Nullable Boolean value) {
    return new JobSpec(
        queue,
        command,
        environment,
        workingDirectory,
        maxRuntime,
        priority,
        value,
        abortCallback,
        terminationGrace,
        labels,
        draft,
        container,
        suspend,
        movable);
  }

  public JobSpec withAbortCallback(@Nullable AbortCallback callback) {
    return new JobSpec(
        queue,
        command,
        environment,
        workingDirectory,
        maxRuntime,
        priority,
        preemptible,
        callback,
        terminationGrace,
        labels,
        draft,
        container,
        suspend,
        movable);
  }

  public JobSpec withTerminationGrace(@Nullable Duration grace) {
    return new JobSpec(
        queue,
        command,
        environment,
        workingDirectory,
        maxRuntime,
        priority,
        preemptible,
        abortCallback,
        grace,
        labels,
        draft,
        container,
        suspend,
        movable);
  }

  public JobSpec withLabels(Map<String, String> values) {
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
        values,
        draft,
        container,
        suspend,
        movable);
  }

  public JobSpec withDraft(boolean value) {
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
        value,
        container,
        suspend,
        movable);
  }

  public JobSpec withSuspend(@Nullable Duration atMost) {
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
        atMost,
        movable);
  }

  public JobSpec withMovable(boolean value) {
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
        value);
  }

  /// Saves a job's progress before it is stopped.
  ///
  /// @param timeout null: the server's default
  public record AbortCallback(List<String> command, @Nullable Duration timeout) {
    public AbortCallback {
      command = List.copyOf(command);
    }
  }
}
