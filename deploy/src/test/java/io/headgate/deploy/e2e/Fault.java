package io.headgate.deploy.e2e;

import java.util.List;

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
  FREEZE_DATABASE,
  /// PostgreSQL dies at once, and is started again.
  KILL_DATABASE,
  /// The leader does not reach PostgreSQL until another leads.
  CUT_OFF_DATABASE,
  /// Nobody reaches the leader for a while, agents neither; it reaches PostgreSQL.
  CUT_OFF_CALLERS,
  /// The same until the leader gives way and another leads.
  CUT_OFF_ALL_AGENTS,
  /// Schedulers do not see each other for a while; they reach PostgreSQL.
  CUT_GROUP,
  /// An agent dies at once, and is started again; what it started runs on.
  KILL_AGENT,
  /// An agent stands still for a while.
  PAUSE_AGENT;

  /// Those that need only schedulers and their database, without wires between them.
  static final List<Fault> OF_SCHEDULERS =
      List.of(
          KILL_LEADER,
          PAUSE_LEADER,
          STOP_LEADER,
          KILL_FOLLOWER,
          PAUSE_FOLLOWER,
          KILL_TWO,
          FREEZE_DATABASE);

  /// What becomes of leadership.
  enum Leading {
    /// Another leads afterwards.
    CHANGES,
    /// The same leads on.
    STAYS,
    /// As it comes.
    EITHER
  }

  Leading leading() {
    return switch (this) {
      case KILL_LEADER, PAUSE_LEADER, STOP_LEADER, KILL_TWO, CUT_OFF_DATABASE, CUT_OFF_ALL_AGENTS ->
          Leading.CHANGES;
      case KILL_FOLLOWER, PAUSE_FOLLOWER, CUT_GROUP, KILL_AGENT, PAUSE_AGENT -> Leading.STAYS;
      case FREEZE_DATABASE, KILL_DATABASE, CUT_OFF_CALLERS -> Leading.EITHER;
    };
  }
}
