package io.headgate.scheduler.runtime.leadership;

import java.util.Optional;

/// This replica does not lead.
public final class NotLeadingException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Optional<String> leaderAddress;

  /// Tells where to go instead.
  ///
  /// @param leaderAddress where the leader is reached, `host:port`; absent: not known
  public NotLeadingException(Optional<String> leaderAddress) {
    super("this replica does not lead", null, false, false);
    this.leaderAddress = leaderAddress;
  }

  public Optional<String> leaderAddress() {
    return leaderAddress;
  }
}
