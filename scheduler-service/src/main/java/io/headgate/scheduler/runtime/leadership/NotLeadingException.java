package io.headgate.scheduler.runtime.leadership;

import java.util.Optional;

/// This replica does not lead.
public final class NotLeadingException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Optional<String> leaderAddress;

  /// @param leaderAddress address of the leader, `host:port`; absent: unknown
  public NotLeadingException(Optional<String> leaderAddress) {
    super("this replica does not lead", null, false, false);
    this.leaderAddress = leaderAddress;
  }

  public Optional<String> leaderAddress() {
    return leaderAddress;
  }
}
