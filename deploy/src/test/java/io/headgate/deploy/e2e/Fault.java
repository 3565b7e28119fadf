package io.headgate.deploy.e2e;

/// What happens to an installation with three schedulers.
enum Fault {
  /// The leader dies at once, and is started again.
  KILL_LEADER,
  /// The leader stands still until another leads, and then goes on.
  PAUSE_LEADER,
  /// The leader stops in order, and is started again.
  STOP_LEADER,
  /// A follower dies at once.
  KILL_FOLLOWER,
  /// A follower stands still for a while.
  PAUSE_FOLLOWER,
  /// The leader and a follower die together.
  KILL_TWO,
  /// All of PostgreSQL stands still for a while.
  FREEZE_DATABASE;

  /// Whether another leads afterwards.
  boolean deposes() {
    return switch (this) {
      case KILL_LEADER, PAUSE_LEADER, STOP_LEADER, KILL_TWO -> true;
      case KILL_FOLLOWER, PAUSE_FOLLOWER, FREEZE_DATABASE -> false;
    };
  }
}
