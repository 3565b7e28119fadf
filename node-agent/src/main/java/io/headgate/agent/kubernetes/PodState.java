package io.headgate.agent.kubernetes;

import java.util.Optional;
import java.util.OptionalInt;

/// The state of a pod, as the API server reports it.
///
/// @param uid tells it from others that had its name before
/// @param attempt the attempt that it belongs to, by the name of its directory; empty: none
/// @param over no process of it lives, and none will
/// @param isLeaving its deletion was requested
/// @param exitCode of its container
/// @param end word for the end of its container or of itself (`OOMKilled`, `Evicted`); empty: none
/// @param message about the end, from the component that ended it
/// @param waiting the reason for which its container waits (`ImagePullBackOff`); empty: it does not
///   wait
/// @param waitingMessage about that wait
/// @param disruption why the cluster removes it; empty: no reason was given
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

  /// The cause for which its container waits.
  public enum Wait {
    NOTHING,
    /// An image that may yet come.
    IMAGE,
    /// An image that never comes.
    NO_IMAGE,
    /// A step that its node cannot do at the moment.
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
      return "its pod was evicted: " + disruption.get();
    }
    if (isLeaving) {
      return "its pod was deleted";
    }
    return end.isEmpty() ? "its pod ended" : "its pod ended: " + words(end, message);
  }

  /// The cause for which it waits, in words.
  public String waitingWords() {
    return words(waiting, waitingMessage);
  }

  private static String words(String word, String message) {
    return message.isEmpty() ? word : word + ": " + message;
  }
}
