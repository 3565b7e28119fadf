package io.headgate.sdk.cli.command.top;

import java.time.Instant;
import java.util.Optional;

/// The content of one drawing of the screen.
///
/// @param stale present while the server does not answer
/// @param live whether keys and a selection are shown; otherwise this is the only frame
record TopFrame(TopData data, TopState state, Optional<Stale> stale, boolean live) {
  /// The server does not answer.
  ///
  /// @param since when it answered last
  /// @param why in a few words; empty: it is not known yet
  record Stale(Instant since, String why) {}
}
