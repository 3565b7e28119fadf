package io.headgate.deploy.e2e;

import java.time.Duration;

/// A fault in an installation with three schedulers.
enum Fault {
  /// The leader dies at once, and is started again.
  KILL_LEADER,
  /// The leader is paused until another scheduler leads, and then continues.
  PAUSE_LEADER,
  /// The leader stops in an orderly way, and is started again.
  STOP_LEADER,
  /// A follower dies at once.
  KILL_FOLLOWER,
  /// A follower is paused for a while.
  PAUSE_FOLLOWER,
  /// The leader and a follower die together.
  KILL_TWO,
  /// All processes of PostgreSQL are paused for a while.
  FREEZE_DATABASE,
  /// PostgreSQL dies at once, and is started again.
  KILL_DATABASE,
  /// Every flush of PostgreSQL's log takes long for a while.
  SLOW_DISK,
  /// PostgreSQL cannot write and gives up; after its restart it can write again.
  FAIL_DISK,
  /// There is no room for PostgreSQL's files for a while.
  FILL_DISK,
  /// The leader does not reach PostgreSQL until another scheduler leads.
  CUT_OFF_DATABASE,
  /// Cuts one direction between the leader and PostgreSQL: the leader's requests or the answers are
  /// lost.
  HALF_CUT_OFF_DATABASE,
  /// No caller and no agent reaches the leader for a while; the leader reaches PostgreSQL.
  CUT_OFF_CALLERS,
  /// Cuts one direction between the leader and its callers: calls or answers are lost.
  HALF_CUT_OFF_CALLERS,
  /// No agent and no caller reaches the leader until it gives way and another scheduler leads.
  CUT_OFF_ALL_AGENTS,
  /// Schedulers do not see each other for a while; they reach PostgreSQL.
  CUT_GROUP,
  /// Cuts one direction between the schedulers: in each connection, the calls or the answers are
  /// lost.
  HALF_CUT_GROUP,
  /// One scheduler and the two others do not see each other for a while; they reach PostgreSQL.
  SPLIT_GROUP,
  /// Two schedulers do not see each other for a while, and the third sees both.
  BRIDGE_GROUP,
  /// Each piece of data between schedulers and their callers is late by a different time. Then all
  /// connections of callers end, so that callers repeat unanswered calls.
  SLOW_WIRES,
  /// An agent dies at once, and is started again; its jobs run on.
  KILL_AGENT,
  /// An agent is paused for a while.
  PAUSE_AGENT,
  /// Nothing passes between an agent and the rest for a while.
  CUT_OFF_AGENT,
  /// Cuts one direction: what an agent says is lost for a while, or what it is told.
  HALF_CUT_OFF_AGENT,
  /// The leader's clock is set and stays wrong, by more than a lease but less than the tolerance of
  /// others for its tokens.
  SET_LEADER_CLOCK,
  /// An agent's clock is set wrong by days, and stays so.
  SET_AGENT_CLOCK;

  /// The effect of a fault on leadership.
  enum Leading {
    /// Another leads afterwards.
    CHANGES,
    /// The leader keeps leading.
    STAYS,
    /// The fault may or may not change the leader.
    EITHER
  }

  /// Longest time until a job begins that is submitted after the fault, on a calm machine. It
  /// counts from the strike where another scheduler has to lead, and from the end of the fault
  /// elsewhere: R1, R4 and R7 of the promises.
  Duration promise() {
    return switch (this) {
      case KILL_LEADER, STOP_LEADER -> Duration.ofSeconds(10);
      // The one that is left hears of no group, or the leader stands still: a lease of 10 s.
      case KILL_TWO, PAUSE_LEADER -> Duration.ofSeconds(15);
      case CUT_OFF_DATABASE, HALF_CUT_OFF_DATABASE, CUT_OFF_ALL_AGENTS -> Duration.ofSeconds(30);
      // Another may lead by then, and the store tries a refused batch ever more seldom.
      case FREEZE_DATABASE, FILL_DISK, CUT_OFF_CALLERS, HALF_CUT_OFF_CALLERS ->
          Duration.ofSeconds(10);
      case KILL_FOLLOWER,
          PAUSE_FOLLOWER,
          KILL_DATABASE,
          SLOW_DISK,
          FAIL_DISK,
          CUT_GROUP,
          HALF_CUT_GROUP,
          SPLIT_GROUP,
          BRIDGE_GROUP,
          SLOW_WIRES,
          KILL_AGENT,
          PAUSE_AGENT,
          CUT_OFF_AGENT,
          HALF_CUT_OFF_AGENT,
          SET_LEADER_CLOCK,
          SET_AGENT_CLOCK ->
          Duration.ofSeconds(5);
    };
  }

  /// Whether only a network of namespaces can have this fault.
  boolean needsNamespaces() {
    return this == CUT_OFF_AGENT || this == HALF_CUT_OFF_AGENT;
  }

  /// Whether it is a fault of the network.
  boolean isOfNetwork() {
    return switch (this) {
      case CUT_OFF_DATABASE,
          HALF_CUT_OFF_DATABASE,
          CUT_OFF_CALLERS,
          HALF_CUT_OFF_CALLERS,
          CUT_OFF_ALL_AGENTS,
          CUT_GROUP,
          HALF_CUT_GROUP,
          SPLIT_GROUP,
          BRIDGE_GROUP,
          SLOW_WIRES,
          CUT_OFF_AGENT,
          HALF_CUT_OFF_AGENT ->
          true;
      case KILL_LEADER,
          PAUSE_LEADER,
          STOP_LEADER,
          KILL_FOLLOWER,
          PAUSE_FOLLOWER,
          KILL_TWO,
          FREEZE_DATABASE,
          KILL_DATABASE,
          SLOW_DISK,
          FAIL_DISK,
          FILL_DISK,
          KILL_AGENT,
          PAUSE_AGENT,
          SET_LEADER_CLOCK,
          SET_AGENT_CLOCK ->
          false;
    };
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
          CUT_OFF_AGENT,
          HALF_CUT_OFF_AGENT,
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
