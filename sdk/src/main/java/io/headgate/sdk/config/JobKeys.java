package io.headgate.sdk.config;

import io.headgate.sdk.config.FileKey.FlagKey;
import io.headgate.sdk.config.FileKey.IntegerKey;
import io.headgate.sdk.config.FileKey.OptionalKeywordKey;
import io.headgate.sdk.config.FileKey.PlainKey;
import io.headgate.sdk.config.FileKey.Section;
import io.headgate.sdk.config.FileKey.TextKey;
import java.util.List;

/// Every key of a job file. Bounds that the server checks are only described here.
final class JobKeys {
  private static final String COMMAND_BOUND = "1 to 1000 words";

  static final IntegerKey PRIORITY =
      new IntegerKey(
          "priority",
          0,
          -1000,
          1000,
          "Among jobs equal by O1 to O4, of all queues, the highest starts first.");
  static final TextKey WORKING_DIRECTORY =
      new TextKey(
          "workingDirectory", 4096, "a private directory", "Absolute directory on the node.");
  static final TextKey IMAGE =
      new TextKey("image", 512, "the files of the node", "Container image that the job runs in.");
  static final OptionalKeywordKey<PullPolicy> PULL =
      new OptionalKeywordKey<>(
          "pull",
          PullPolicy.class,
          PullPolicy.IF_NOT_PRESENT.keyword(),
          "When the image is fetched.");
  static final FlagKey MOVABLE =
      new FlagKey(
          "movable",
          false,
          "Whether the job may be moved to make room, in a pool with `consolidate`.");
  static final TextKey NOT_BEFORE =
      new TextKey(
          "notBefore", 64, "any time", "Earliest start: 30m from now, 18:00, or 2026-12-01T08:00.");
  static final FlagKey DRAFT =
      new FlagKey("draft", false, "Holds the job back; headgate requeue submits it.");

  static final Section TOP =
      Section.of(
          "",
          "The file describes one job. Flags of headgate submit override it; environment and labels"
              + " are merged.",
          ConfigurationKeys.API_VERSION,
          new PlainKey("kind", "text", FileKey.REQUIRED, JobFile.KIND, "Kind of the file."),
          FileKey.of("queue", "name", "required unless --queue is given", "Queue of the job."),
          FileKey.of("name", "name", "name of the queue", "Beginning of the job's id."),
          new PlainKey(
              "command",
              "list of texts",
              "required unless given after --",
              COMMAND_BOUND,
              "Program and arguments, run without a shell."),
          new PlainKey(
              "environment",
              "mapping of texts",
              "",
              "at most 1000; no HEADGATE_ or LD_ names",
              "Environment variables of the job."),
          WORKING_DIRECTORY,
          new PlainKey(
              "maxRuntime",
              "duration",
              "no limit",
              "above 0; at most 3650d",
              "The job is stopped after this run time."),
          new PlainKey(
              "suspend",
              "duration",
              "a preemption stops the job",
              "1s to 1d; one worker with whole GPUs",
              "Longest time that a preempted job is kept in main memory."),
          FileKey.of(
              "abortCallback", "mapping", "", "Command that runs before the job is stopped."),
          new PlainKey(
              "terminationGrace",
              "duration",
              "as its policy says",
              "at most 10m, and at most the policy's grace",
              "Time between SIGTERM and SIGKILL."),
          PRIORITY,
          FileKey.of(
              "preemptible",
              "true or false",
              "as its policy says",
              "Whether the job may be preempted."),
          MOVABLE,
          new PlainKey(
              "labels",
              "mapping of texts",
              "",
              "at most 64; keys of 1 to 63 letters, digits and . _ / -; no mark first or last",
              "Labels, for filters of lists."),
          new PlainKey(
              "after",
              "list of texts",
              "",
              "at most 100; each JOB, JOB:ok, JOB:any or JOB:fail",
              "Jobs that must end before this one starts."),
          NOT_BEFORE,
          DRAFT,
          IMAGE,
          PULL);

  static final Section ABORT_CALLBACK =
      Section.of(
          "abortCallback",
          "The command runs in the job's environment and saves its work.",
          new PlainKey(
              "command",
              "list of texts",
              FileKey.REQUIRED,
              COMMAND_BOUND,
              "Program and arguments, run without a shell."),
          new PlainKey(
              "timeout",
              "duration",
              "as its policy says",
              "at most 30m, and at most the policy's grace",
              "Longest time of the command."));

  /// All sections, in the order of a file.
  static final List<Section> ALL = List.of(TOP, ABORT_CALLBACK);

  private JobKeys() {}
}
