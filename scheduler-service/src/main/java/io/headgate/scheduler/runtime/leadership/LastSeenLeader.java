package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.record.Leadership;
import java.util.Optional;

/// Who led when the row of leadership was looked at last. The replica's thread sees; others ask.
/// Thread-safe.
final class LastSeenLeader {
  private final String ownAddress;
  private volatile Optional<Leadership> leadership = Optional.empty();
  private volatile Optional<String> elsewhere = Optional.empty();
  private volatile Runnable listener = () -> {};

  LastSeenLeader(String ownAddress) {
    this.ownAddress = ownAddress;
  }

  /// @param isHeld whether the lease had not run out
  void see(Leadership now, boolean isHeld) {
    leadership = Optional.of(now);
    elsewhere =
        isHeld ? now.address().filter(address -> !address.equals(ownAddress)) : Optional.empty();
    listener.run();
  }

  /// Whom to tell of every look.
  void tell(Runnable told) {
    listener = told;
  }

  Optional<Leadership> leadership() {
    return leadership;
  }

  /// Where another holds the lease; empty: nobody else is known to.
  Optional<String> elsewhere() {
    return elsewhere;
  }
}
