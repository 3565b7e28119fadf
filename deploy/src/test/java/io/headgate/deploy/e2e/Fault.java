package io.headgate.deploy.e2e;

import java.time.Duration;

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
  /// Every flush of PostgreSQL's log takes long for a while.
  SLOW_DISK,
  /// PostgreSQL cannot write, and gives up; what is started again can.
  FAIL_DISK,
  /// There is no room for PostgreSQL's files for a while.
  FILL_DISK,
  /// The leader does not reach PostgreSQL until another leads.
  CUT_OFF_DATABASE,
  /// The same in one direction: what the leader says is lost, or what PostgreSQL answers.
  HALF_CUT_OFF_DATABASE,
  /// Nobody reaches the leader for a while, agents neither; it reaches PostgreSQL.
  CUT_OFF_CALLERS,
  /// The same in one direction: the leader is not heard, or hears nobody.
  HALF_CUT_OFF_CALLERS,
  /// Nobody reaches the leader until it gives way and another leads.
  CUT_OFF_ALL_AGENTS,
  /// Schedulers do not see each other for a while; they reach PostgreSQL.
  CUT_GROUP,
  /// The same in one direction: those who called each other are not heard, or hear nobody.
  HALF_CUT_GROUP,
  /// One scheduler and the two others do not see each other for a while; they reach PostgreSQL.
  SPLIT_GROUP,
  /// Two schedulers do not see each other for a while, and the third sees both.
  BRIDGE_GROUP,
  /// What schedulers and their callers say is late, each piece by another time; then all
  /// connections of callers end, so that what was not answered is said again.
  SLOW_WIRES,
  /// An agent dies at once, and is started again; what it started runs on.
  KILL_AGENT,
  /// An agent stands still for a while.
  PAUSE_AGENT,
  /// The leader's clock is set, and stays so: by less than tokens of others tolerate, and by more
  /// than a lease.
  SET_LEADER_CLOCK,
  /// An agent's clock is set by days, and stays so.
  SET_AGENT_CLOCK;

  /// What becomes of leadership.
  enum Leading {
    /// Another leads afterwards.
    CHANGES,
    /// The same leads on.
    STAYS,
    /// As it comes.
    EITHER
  }

  /// Until a job begins that is submitted once it has happened, from its beginning on, on a machine
  /// that is busy otherwise too. Where another may lead afterwards, a lease has to run out before.
  Duration soon() {
    return leading() == Leading.STAYS ? Duration.ofMinutes(1) : Duration.ofMinutes(2);
  }

  Leading leading() {
    return switch (this) {
      case KILL_LEADER,
          PAUSE_LEADER,
          STOP_LEADER,
          KILL_TWO,
          CUT_OFF_DATABASE,
          HALF_CUT_OFF_DATABASE,
          CUT_OFF_ALL_AGENTS ->
          Leading.CHANGES;
      case KILL_FOLLOWER,
          PAUSE_FOLLOWER,
          SLOW_DISK,
          CUT_GROUP,
          HALF_CUT_GROUP,
          SPLIT_GROUP,
          BRIDGE_GROUP,
          SLOW_WIRES,
          KILL_AGENT,
          PAUSE_AGENT,
          SET_LEADER_CLOCK,
          SET_AGENT_CLOCK ->
          Leading.STAYS;
      case FREEZE_DATABASE,
          KILL_DATABASE,
          FAIL_DISK,
          FILL_DISK,
          CUT_OFF_CALLERS,
          HALF_CUT_OFF_CALLERS ->
          Leading.EITHER;
    };
  }
}
