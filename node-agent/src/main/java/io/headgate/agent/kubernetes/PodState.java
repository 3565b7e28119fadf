package io.headgate.agent.kubernetes;

import java.util.Optional;
import java.util.OptionalInt;

/// What the API server says of a pod.
///
/// @param uid tells it from others that had its name before
/// @param attempt whose it is, by the name of the attempt's directory; empty: nobody's
/// @param over nothing of it lives, and nothing will
/// @param isLeaving somebody has it removed
/// @param exitCode of its container
/// @param end word for the end of its container or of itself (`OOMKilled`, `Evicted`); empty: none
/// @param message about it, by who ended it
/// @param waiting word for what its container waits for (`ImagePullBackOff`); empty: nothing
/// @param waitingMessage about that
/// @param disruption by whom it was made to go, and why; empty: nobody said so
public record PodState(
    String name,
    String uid,
    String attempt,
    boolean over,
    boolean isLeaving,
    OptionalInt exitCode,
    String end,
    String message,
    String waiting,
    String waitingMessage,
    Optional<String> disruption) {
  private static final String OUT_OF_MEMORY = "OOMKilled";

  /// What its container waits for.
  public enum Wait {
    NOTHING,
    /// An image that may yet come.
    IMAGE,
    /// An image that never comes.
    NO_IMAGE,
    /// What its node cannot do at the moment.
    NODE
  }

  public Wait waitsFor() {
    return switch (waiting) {
      case "InvalidImageName", "ErrImageNeverPull" -> Wait.NO_IMAGE;
      case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ImageInspectError" ->
          Wait.IMAGE;
      case "CreateContainerConfigError", "CreateContainerError", "RunContainerError" -> Wait.NODE;
      default -> Wait.NOTHING;
    };
  }

  /// Whether it lives on, as far as is known.
  public boolean isSilent() {
    return !over && !isLeaving;
  }

  /// Whether it had more memory than it may.
  public boolean isOutOfMemory() {
    return end.equals(OUT_OF_MEMORY);
  }

  /// Why it ended or is about to, in one sentence.
  public String explanation() {
    if (disruption.isPresent()) {
      return "its pod was made to go: " + disruption.get();
    }
    if (isLeaving) {
      return "its pod was deleted";
    }
    return end.isEmpty() ? "its pod ended" : "its pod ended: " + words(end, message);
  }

  /// What it waits for, in words.
  public String waitingWords() {
    return words(waiting, waitingMessage);
  }

  private static String words(String word, String message) {
    return message.isEmpty() ? word : word + ": " + message;
  }
}
