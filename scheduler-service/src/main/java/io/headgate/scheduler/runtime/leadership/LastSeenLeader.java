package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.record.Leadership;
import java.util.Optional;

/// The leader named by the row of leadership at the last look. The replica's thread updates it.
/// Thread-safe.
final class LastSeenLeader {
  private final String ownAddress;
  private volatile Optional<Leadership> leadership = Optional.empty();
  private volatile Optional<String> elsewhere = Optional.empty();
  private volatile Runnable listener = () -> {};

  LastSeenLeader(String ownAddress) {
    this.ownAddress = ownAddress;
  }

  /// @param isHeld whether the lease was still valid
  void see(Leadership now, boolean isHeld) {
    leadership = Optional.of(now);
    elsewhere =
        isHeld ? now.address().filter(address -> !address.equals(ownAddress)) : Optional.empty();
    listener.run();
  }

  /// Sets the listener that is called after every look.
  void tell(Runnable told) {
    listener = told;
  }

  Optional<Leadership> leadership() {
    return leadership;
  }

  /// Address of another replica that holds the lease; empty: none is known.
  Optional<String> elsewhere() {
    return elsewhere;
  }
}
