package io.headgate.kit.watch;

/// How far a watcher has come.
///
/// @param incarnation of the store that was watched; empty: none yet. A store gets another when it
///   is restored from a backup, since it then counts its versions anew
/// @param version in that incarnation; 0: nothing was seen
public record WatchPosition(String incarnation, long version) {
  public static final WatchPosition START = new WatchPosition("", 0);

  public WatchPosition {
    if (version < 0) {
      throw new IllegalArgumentException("version: at least 0, not " + version);
    }
  }
}
