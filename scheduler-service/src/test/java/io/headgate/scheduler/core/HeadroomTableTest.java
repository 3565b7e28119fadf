package io.headgate.scheduler.core;

import org.junit.jupiter.api.Test;

/// Headroom holds (O7), a row for each sentence of the rule: world | history | outcome. [RuleStory]
/// explains the words.
class HeadroomTableTest {
  @Test
  @Rule("O7")
  void jobsThatComeLaterDoNotStartOnHeldHeadroom() {
    RuleTable.check(
        "pool p; node n 9; size 1; size 4; ops 0/4",
        """
        dev 0/4                       | dev: a~60m b~60m c~60m d~60m; dev: big*4; 9m; dev: e; a ends                                       | big waits LIMIT; e runs
        dev 0/4                       | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends                                      | big waits LIMIT; e waits HOLD
        dev 0/4                       | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends; b ends; c ends; d ends              | big runs; e waits LIMIT
        dev 0/4                       | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends; big cancelled                       | big is CANCELLED; e runs
        dev 0/4                       | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; ops: o; a ends                                      | big waits LIMIT; o runs
        dev 0/5                       | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e                                              | big waits LIMIT; e waits HOLD
        dev 0/5                       | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends; b ends; c ends; d ends              | big runs; e runs\
        """);
  }

  @Test
  @Rule("O7")
  void theyDoIfTheyEndBeforeItsExpectedStart() {
    RuleTable.check(
        "pool p; node n 9; size 1; size 4",
        """
        dev 0/4 | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; a ends; dev: e~50m                         | big waits LIMIT; e runs
        dev 0/4 | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; a ends; dev: e~51m                         | big waits LIMIT; e waits HOLD
        dev 0/4 | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; a ends; dev: e~51m; dev: f~50m             | big waits LIMIT; e waits HOLD; f waits HOLD
        dev 0/6 | dev: a~60m b~60m c~20m d~60m e~60m f~60m; dev: big*4; 10m; f ends; dev: g~51m             | big waits LIMIT; g waits HOLD\
        """);
  }

  @Test
  @Rule("O7")
  void jobsOfOnePolicyAreOrderedByPositionRankAndPriorityAlone() {
    RuleTable.check(
        "node n 9; size 1; size 4",
        """
        pool p; dev 4/4                     | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends                          | big waits LIMIT; e waits HOLD
        pool p; dev 1/4                     | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends; b ends; c ends; d ends  | big runs; e waits LIMIT
        pool p; dev 0/4; queue dev.4 rank 2 | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends                          | big waits LIMIT; e runs
        pool p; dev 0/4; queue dev.1 rank 2 | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e^9; a ends                        | big waits LIMIT; e waits HOLD
        pool p order 1; dev 0/4             | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends                          | big waits LIMIT; e runs
        pool p; dev 0/4                     | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e^1; a ends                        | big waits LIMIT; e runs\
        """);
  }

  @Test
  @Rule("O7")
  void everyLimitHasItsScope() {
    RuleTable.check(
        "pool p; node n 9; size 1; size 4",
        """
        dev 0/9 user-limit 4                   | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; dev: f@eve; a ends                    | big waits USER_LIMIT; e waits HOLD; f runs
        dev 4/9; queue dev.4 deny              | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; dev: e; a ends                                | big waits OVER_RESERVATION_DENIED; e waits HOLD
        dev 4/9                                | dev: a~60m! b~60m! c~60m! d~60m!; dev: big*4!; 10m; dev: e!; dev: f; a ends                  | big waits NON_PREEMPTIBLE; e waits HOLD; f runs
        department eng 0/4; dev 0/9 in eng; ops 0/9 in eng; out 0/9; queue ops.1 rank 9 | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; ops: o; out: p; a ends | big waits LIMIT; o waits HOLD; p runs
        department eng 0/4; dev 0/9 in eng; ops 0/9 in eng                              | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; ops: o; a ends         | big waits LIMIT; o runs
        department eng 1/4; dev 0/9 in eng; ops 1/9 in eng; queue ops.1 rank 9          | dev: a~60m b~60m c~60m d~60m; dev: big*4; 10m; ops: o; a ends         | big waits LIMIT; o runs\
        """);
  }

  @Test
  @Rule("O7")
  void headroomIsNotHeldInVain() {
    RuleTable.check(
        "pool p; size 1; size 2; size 4; ops 0/4",
        """
        node n 9; dev 0/4 | dev: a b~60m c~60m d~60m; dev: big*4; 10m; b ends; dev: e                                         | big waits LIMIT; e runs
        node n 9; dev 1/4 | dev: a~60m! b~60m c~60m d~60m; dev: big*4; 10m; b ends; dev: e                                    | big waits LIMIT; e runs
        node n 2; dev 0/2 | ops: x; dev: a~60m; node m 2; ops: y; dev: b~60m; dev: big*2; 10m; dev: e; a ends                 | big waits LIMIT; e runs
        node n 2; dev 0/2 | ops: x~60m; dev: a~60m; node m 2; ops: y; dev: b~60m; dev: big*2; 10m; dev: e; a ends             | big waits LIMIT; e waits HOLD\
        """);
  }

  /// Jobs in q leave the limits that block `big`, though nothing on p. So `big` can have its
  /// headroom.
  @Test
  @Rule("O7")
  void headroomMayComeFreeInPoolsThatTheHolderDoesNotUse() {
    RuleTable.check(
        "pool p; pool q; node n 4; node m 2 in q; size 1; size 2 on q p; size 4 on p",
        """
        dev 0/4                             | dev: a*2~60m b*2~60m; dev: big*4; 10m; dev: e; b ends              | big waits LIMIT; e waits HOLD
        department eng 0/4; dev 0/9 in eng  | dev: a*2~60m b*2~60m; dev: big*4; 10m; dev: e; b ends              | big waits LIMIT; e waits HOLD
        department eng 0/4; dev 0/9 in eng  | dev: a*2~60m b*2~60m; dev: big*4; 10m; dev: e; b ends; a ends      | big runs; e waits LIMIT\
        """);
  }

  /// `a` was preempted: it keeps its place (O5), but `b` is promoted. So `b` comes before `a` and
  /// `big`, and does not wait for the headroom that keeps `a` from starting.
  @Test
  @Rule("O7")
  void aPromotedJobDoesNotWaitWithTheFirstOfItsQueue() {
    RuleTable.check(
        "pool p promote-after 11m; pool q promote-after 11m; node n 5; node m 8 in q; size 1 on p; size 2 on q; size 4 on p; size 8 on q",
        """
        ops 2/2; dev 0/8 | dev: a*4~60m; dev: b*4; dev: c*2~60m; dev: big*8; 12m; ops: o o2; settle; 10m           | a waits HOLD; b waits CAPACITY
        ops 2/2; dev 0/4 | dev: a*4~60m; dev: b*4; 12m; ops: o~30m o2~30m; settle                                  | a waits HOLD; b waits HOLDING\
        """);
  }

  /// `x` fills what its tenant reserves on p for jobs like it, by its own hold. Still it is
  /// promoted there, and comes before `e`.
  @Test
  @Rule("O7")
  void aHolderIsPromotedInThePoolWhereItHolds() {
    RuleTable.check(
        "pool p promote-after 11m; pool q; share acme 1/; node n 1; node m 3 in q; size 1 on q p; size 1/2 x2 on p",
        """
        dev 2/4 | dev: a b c; dev: d~60m; dev: x*1/2!; 10m; a ends; dev: e; b cancelled; 5m      | x waits HOLDING; e waits HOLD
        dev 2/4 | dev: a b c; dev: d~60m; dev: x*1/2!; 10m; a ends; dev: e; b cancelled; 11m     | x waits HOLDING; e waits HOLD
        dev 2/9 | dev: a b c; dev: d~60m; dev: x*1/2!; 10m; a ends; dev: e; b cancelled; 11m     | x waits HOLDING; e runs\
        """);
  }

  /// The first one that can have its headroom holds it.
  @Test
  @Rule("O7")
  void theFirstJobThatALimitBlocksHolds() {
    RuleTable.check(
        "pool p; node n 9; size 1; size 3; size 4",
        """
        dev 0/4                      | dev: a~60m b~60m c~60m d~60m; dev: big*4 mid*3; 10m; a ends; b ends; c ends                | big waits LIMIT; mid waits HOLD
        dev 0/4; queue dev.3 rank 0  | dev: a~60m b~60m c~60m d~60m; dev: big*4 mid*3; 10m; a ends; b ends; c ends                | big waits LIMIT; mid runs
        dev 0/4                      | dev: a b~60m c~60m d~60m; dev: big*4 mid*3; 10m; b ends; c ends; dev: e                    | big waits LIMIT; mid waits LIMIT; e waits HOLD\
        """);
  }

  /// Its capacity would be free first on n, where 4 more GPUs are used by another policy.
  @Test
  @Rule("O7")
  void aJobKeepsItsHeadroomWhileItHoldsCapacity() {
    RuleTable.check(
        "pool p; node n 4; size 1; size 4; dev 1/4; ops 0/4; queue dev.1 rank 1",
        """
        dev 1/4 | dev: a~60m b~60m c~60m; ops: o~30m; dev: big*4; 10m; a ends; b ends; c ends; dev: e        | big waits HOLDING; e waits HOLD
        dev 1/4 | dev: a~60m b~60m c~60m; ops: o~30m; dev: big*4; 10m; a ends; b ends; c ends; dev: e; o ends | big runs; e waits LIMIT\
        """);
  }

  @Test
  @Rule("O7")
  void theLimitOfATenantIsOneOfASharedPool() {
    RuleTable.check(
        "pool p; node n 9; size 1; size 4; red 0/9 of r; own 2/9 of r; blue 0/9 of b",
        """
        share r 2/4; share b 0/           | red: a~60m b~60m c~60m d~60m; red: big*4; 10m; red: e; blue: o; a ends          | big waits LIMIT; e waits HOLD; o runs
        share r 2/4; share b 0/           | red: a~60m b~60m c~60m d~60m; red: big*4; 10m; red: e; own: x; a ends           | big waits LIMIT; e waits LIMIT; x runs
        share r 2/4; share b 0/           | red: a~60m b~60m c~60m d~60m; red: big*4; 10m; a ends; red: e~50m f~51m         | big waits LIMIT; e runs; f waits LIMIT
        share r 2/4; share b 0/; pool q   | red: a~60m b~60m c~60m d~60m; red: big*4; 10m; a ends; red: e                   | big waits LIMIT; e waits CAPACITY
        share r 2/4; share b 0/; pool q; node m 1 in q | red: a~60m b~60m c~60m d~60m x; red: big*4; 10m; x ends; red: e f  | big waits LIMIT; e runs; f waits CAPACITY\
        """);
  }

  /// A service that never ends has one of three GPUs. A job of three could not start even with the
  /// headroom, although its reservation would let it preempt.
  @Test
  @Rule("O7")
  void nothingIsHeldForAJobThatNoVictimsWouldHelp() {
    RuleTable.check(
        "pool p; node n 3; size 1; size 3; dev 3/3",
        """
        ops 1/1 fixed | ops: s; dev: a~60m b~60m; dev: big*3; 11m; a ends; dev: e | big waits LIMIT; e runs
        ops 0/1       | ops: s; dev: a~60m b~60m; dev: big*3; 11m; a ends; dev: e | big waits LIMIT; e waits HOLD\
        """);
  }
}
