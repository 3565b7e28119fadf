package io.headgate.scheduler.core;

import org.junit.jupiter.api.Test;

/// Preemption (P1-P11), rule by rule: world | history | outcome. [RuleStory] explains the words.
class WhoMustGoTableTest {
  @Test
  @Rule("P1")
  void onlyAnEntitledJobPreempts() {
    RuleTable.check(
        "pool p order 1 2; node n 3; size 1; size 2; dev 0/9",
        """
        ops 1/9 | dev: a b c; ops: o         | a runs; b runs; c stops for o by P1; o waits WAITING_FOR_VICTIMS
        ops 0/9 | dev: a b c; ops: o         | c runs; o waits CAPACITY
        ops 1/9 | dev: a b c; ops: o*2       | c runs; o waits CAPACITY
        ops 2/9 | dev: a b c; ops: o*2       | a runs; b stops; c stops; o waits WAITING_FOR_VICTIMS
        ops 1/9 | dev: a b c; ops: o q       | b runs; c stops; q waits CAPACITY
        ops 1/9 | dev: a b c; ops: o; settle | c waits CAPACITY; o runs\
        """);
  }

  @Test
  @Rule("P2")
  void onlyPoliciesAboveTheirReservationLoseAJob() {
    RuleTable.check(
        "pool p order 1 2; node n 3; size 1; size 2; ops 3/9",
        """
        dev 3/9                                                  | dev: a b c; ops: o                                 | c runs; o waits CAPACITY
        dev 2/9                                                  | dev: a b c; ops: o                                 | b runs; c stops
        dev 2/9                                                  | dev: a b c; ops: o q                               | b runs; c stops; q waits CAPACITY
        dev 1/9                                                  | dev: b a*2; ops: o q                               | a stops; b runs; q waits WAITING_FOR_VICTIMS
        dev 2/9                                                  | dev: b a*2; ops: o                                 | a stops; b runs
        dev 2/9; size 1 strict                                   | dev: b a*2; ops: o                                 | a runs; b stops
        dev 3/9; size 1 strict                                   | dev: b a*2; ops: o                                 | a runs; b runs; o waits CAPACITY
        dev 1/9; size 3                                          | dev: a b c; ops: o*3                               | a runs; b runs; c runs; o waits CAPACITY
        dev 0/9; size 3                                          | dev: a b c; ops: o*3                               | a stops; b stops; c stops
        dev 0/9                                                  | dev: a b c; pool p for ops order 1 2; ops: o       | a runs; b runs; c runs; o waits CAPACITY
        dev 0/9 min-runtime 5m                                   | dev: a b c; 4m; ops: o                             | c runs; o waits CAPACITY
        dev 0/9 min-runtime 5m                                   | dev: a b c; 4m; ops: o; 1m                         | c stops; o waits WAITING_FOR_VICTIMS
        dev 3/9 fixed                                            | dev: a b c; dev 0/9; ops: o                        | a runs; b runs; c runs
        pool p for dev order 1 2; pool q; node m 1 in q; dev 0/9 | dev: a b c; size 1 on p q; size 2 on p q; ops: o q | a runs; b runs; c runs; o runs on m:0; q waits CAPACITY\
        """);
  }

  @Test
  @Rule("P2")
  void theUnitBelowTheLowestCommonLevelMustBeAboveItsReservation() {
    RuleTable.check(
        "pool p; node n 8; size 1; dev 2/9 in eng; ops 2/9 in eng; out 4/9",
        """
        department eng 4/                  | dev: a b c d e f; out: o p q r             | d runs; e stops; f stops
        department eng 6/                  | dev: a b c d e f; out: o p q               | f runs; q waits CAPACITY
        department eng 6/                  | dev: a b c d e f; out: o p; ops: s         | e runs; f stops for s by P1
        department eng 4/                  | dev: a b c d e f; out: o p q r; settle; ops: s | c runs; d stops for s by P1; e waits CAPACITY
        department eng 2/; dev 4/9 in eng  | dev: a b c d e; out: o p q r               | d runs; e stops for r by P1
        department eng 2/; dev 8/9 in eng  | dev: a b c d e f g h; out: o p q r         | d runs; e stops; h stops
        department eng 2/; dev 8/9 in eng; size 1 strict | dev: a b c d e f g h; out: o | h runs; o waits CAPACITY
        department eng 6/; size 1 strict   | dev: a b c d e f; out: o p q               | f runs; q waits CAPACITY
        department all 8/; department eng 2/ under all; out 4/9 in all | dev: a b c d e f; out: o p q | e runs; f stops for q by P1\
        """);
  }

  /// `x` fits on `m`, but is entitled only without both jobs of `dev`. In the last row `dev` is one
  /// GPU above its reservation, and may lose one of them only.
  @Test
  @Rule("P2")
  void aPolicyIsTheUnitInAllItsPools() {
    RuleTable.check(
        "pool p; pool q; node n 3; node m 1 in q; size 3 on p; size 1 on p q;"
            + " department eng 1/; ops 1/1 in eng; queue ops.1 deny",
        """
        dev 0/4 in eng | dev: a*3; dev: b; ops: x | a runs; b stops; x waits WAITING_FOR_VICTIMS
        dev 2/4 in eng | dev: a*3; dev: b; ops: x | a stops; b stops; x waits WAITING_FOR_VICTIMS
        dev 3/4 in eng | dev: a*3; dev: b; ops: x | a runs; b runs; x waits OVER_RESERVATION_DENIED\
        """);
  }

  @Test
  @Rule("P1")
  void everyLevelMustLetTheJobBeEntitled() {
    RuleTable.check(
        "pool p; node n 4; size 1; size 4; dev 2/9 in eng; ops 2/9 in eng; out 0/9",
        """
        department eng 3/ | dev: a b; out: c d; ops: s     | c runs; d stops for s by P1
        department eng 2/ | dev: a b; out: c d; ops: s     | d runs; s waits CAPACITY
        department eng 3/ | dev: a b; out: c d; ops: s t   | c runs; d stops for s by P1; t waits CAPACITY
        department eng 2/; dev 2/9 in eng | dev: a*4; ops: s t | a stops for s by P1; t waits WAITING_FOR_VICTIMS\
        """);
  }

  @Test
  @Rule("P3")
  void victimsGoInTheReverseOfTheOrderOfStarts() {
    RuleTable.check(
        "node n 4; size 1; size 2; dev 0/9; ops 0/9; own 2/9",
        """
        pool p order 1 2                                         | dev: a*2; ops: o q; own: x     | a stops; o runs; q runs
        pool p order 2 1                                         | dev: a*2; ops: o q; own: x     | a runs; o runs; q stops
        pool p; queue ops.1 rank 2                               | dev: a b c; ops: o; own: x     | c runs; o stops
        pool p; queue dev.1 rank 2                               | ops: o q r; dev: a; own: x     | a stops; r runs
        pool p                                                   | dev: a b c; ops: o; own: x     | c stops; o runs
        pool p; dev 0/9 weight 4                                 | dev: a b c; ops: o; own: x     | c runs; o stops
        pool p                                                   | dev: a b; ops: o q; own: x     | b runs; q stops
        pool p                                                   | ops: o q; dev: a b; own: x     | b stops; q runs
        pool p                                                   | ops: o q; dev: a b^1; own: x   | a stops; b runs; q runs
        pool p                                                   | ops: o q; dev: a^1 b^1; own: x | a runs; b runs; q stops
        pool p                                                   | ops: o^1 q^9 r^9; dev: a; own: x | a runs; o stops; q runs
        pool p                                                   | dev: a b^-1 c; ops: o; own: x  | b stops; c runs; o runs
        pool p                                                   | dev: a b c; ops: o; own: x y   | b stops; c stops; o runs
        pool p; queue dev.1 rank 9; dev 0/9; ops 0/1 exceeds eve | ops: o q@eve; dev: a b; own: x | b runs; q stops\
        """);
  }

  @Test
  @Rule("P4")
  void theFewestOfTheShortestPrefixThenTheLeastLostWork() {
    RuleTable.check(
        "pool p order 1/2 3 2 1; size 1/2; size 1; size 2; size 3; dev 0/9; own 9/9",
        """
        node n 2           | dev: a b*1/2 c*1/2; own: x                               | a stops; b runs; c runs
        node n 2           | dev: a b c; own: x*2                                     | a stops; b stops
        node n 1; node m 2 | dev: a b*2; own: x                                       | a stops; b runs
        node n 2           | dev: a*1/2 b*1/2 c*1/2 d*1/2; 9m; a saves; own: x        | a runs; b runs; c stops; d stops
        node n 2           | dev: a*1/2 b*1/2; 9m; dev: c*1/2 d*1/2; own: x           | a runs; b runs; c stops; d stops
        node n 2; node m 1 | dev: a; dev: b; dev: c; own: x*2                         | a runs; b stops; c stops
        node n 2           | dev: a*1/2 b*1/2 c*1/2 d*1/2; a ends; dev: e*1/2; own: x | b runs; c stops; d stops; e runs
        node n 4           | dev: a*2; dev: b c; 9m; own: x*3                         | a stops; b runs; c stops
        node n 4           | dev: a*2; dev: b c; 9m; b saves; own: x*3                | a stops; b stops; c runs
        node n 4           | dev: a*2; dev: b; 9m; dev: c; own: x*3                   | a stops; b runs; c stops
        node n 4           | dev: a*2; dev: b; 9m; dev: c; 9m; b saves; own: x*3      | a stops; b stops; c runs\
        """);
  }

  /// The first guess gives back the dearest victim. Here that leaves `c` and `d`, which have lost
  /// more work than `a` and `b` together.
  @Test
  @Rule("P4")
  void allThatAreAsFewAreCompared() {
    RuleTable.check(
        "pool p order 5 1 2 3 9; node n 13; size 1; size 2; size 3; size 5; size 9; own 9/9",
        """
        dev 0/13 | dev: e*5 c*2 d*2; 10s; dev: a*3; 140s; dev: b; 60s; e saves; own: x*9          | a stops; b stops; c runs; d runs; e stops
        dev 0/13 | dev: e*5 c*2 d*2; 10s; dev: a*3; 140s; dev: b; 60s; e saves; c saves; own: x*9 | a runs; b runs; c stops; d stops; e stops\
        """);
  }

  /// Taken in their order, the first victims may use up all that a policy has above its
  /// reservation, before any place is free. Then each node is looked at by itself. In the first row
  /// only `a` makes room. In the third row `c` makes none: the machine came back without its
  /// device.
  @Test
  @Rule("P4")
  void whereTheOrderMakesNoRoomOneNodeIsEmptied() {
    RuleTable.check(
        "pool p order 2 1; node n 2; size 1; size 2; own 2/9",
        """
        dev 2/9 | dev: a f; node m 2; dev: b c; f ends; own: x*2 | a stops; b runs; c runs; x waits WAITING_FOR_VICTIMS
        dev 1/9 | dev: a f; node m 2; dev: b c; f ends; own: x*2 | a runs; b stops; c stops
        dev 2/9 | node m 1; dev: a b c; node n 1; own: x         | a runs; b stops; c runs; x waits WAITING_FOR_VICTIMS
        dev 1/9 | node m 1; dev: a b c; node n 1; own: x         | a runs; b stops; c runs\
        """);
  }

  /// The core empties the node whose most protected victim goes first. In the first row the order
  /// takes `d`, then `c`, and ends on two nodes. `a` is more protected than `b`.
  @Test
  @Rule("P4")
  void theNodeWhoseMostProtectedVictimGoesFirstIsEmptied() {
    RuleTable.check(
        "pool p order 1 2; size 1; size 2; node n 2; own 9/9",
        """
        dev 2/9 | dev: a f; node m 2; dev: b c; f ends; dev: d; own: x*2                                         | a runs; b stops; c stops; d runs
        dev 3/9 | dev: a f; node m 2; dev: b c; f ends; dev: d; own: x*2                                         | a runs; b runs; c runs; d runs; x waits CAPACITY\
        """);
  }

  /// A gang of two workers with two GPUs each gets two nodes, and `dev` keeps its reservation.
  @Test
  @Rule("P4")
  void nodesAreEmptiedForAGang() {
    RuleTable.check(
        "pool p order 1 2; size 1; size 2 x2; node n 2; own 9/9",
        """
        dev 4/9 | dev: a f; node m 2; dev: b c; node k 2; dev: d e; node l 2; dev: g h; f ends; dev: i; own: x*2 | a runs; b runs; c runs; i runs; d stops; e stops; g stops; h stops
        dev 5/9 | dev: a f; node m 2; dev: b c; node k 2; dev: d e; node l 2; dev: g h; f ends; dev: i; own: x*2 | a runs; d runs; g runs; i runs\
        """);
  }

  /// `x` fits on `n`, and is entitled only without `a`, which runs in the pool `q`.
  @Test
  @Rule("P4")
  void onlyJobsInThePoolsOfTheProfileGo() {
    RuleTable.check(
        "pool p; pool q; node n 1; node m 2 in q; size 1 on p; size 2 on q; department eng 1/;"
            + " dev 1/9 in eng; ops 1/1 in eng; queue ops.1 deny",
        """
        size 1 on p   | dev: a*2; ops: x | a runs; x waits OVER_RESERVATION_DENIED
        size 1 on p q | dev: a*2; ops: x | a stops; x runs\
        """);
  }

  /// A job that frees more than four times what is needed is spared as long as others of its
  /// standing suffice, wherever the order has it.
  @Test
  @Rule("P4")
  void aLargeJobIsSparedWhereOthersOfItsStandingSuffice() {
    RuleTable.check(
        "pool p order 1 4 5; size 1; size 4; size 5; node n 6; dev 0/9; own 1/9",
        """
        lab 0/9 | dev: a s; dev: b*4; own: x          | a runs; s runs; b stops
        lab 0/9 | lab: s; dev: b*5; own: x            | s stops; b runs
        lab 1/9 | lab: s; dev: b*5; own: x            | s runs; b stops
        lab 0/9 | lab: s; dev: b*5; dev 0/4; own: x   | s runs; b stops
        lab 0/9 | lab: s; dev: b*5; lab 0/0.5; own: x | s stops; b runs
        lab 0/9; dev 0/9 min-runtime 5m | dev: b*5; node n 5; own: x     | b runs; x waits CAPACITY
        lab 0/9; dev 0/9 min-runtime 5m | dev: b*5; node n 5; own: x; 5m | b stops; x waits WAITING_FOR_VICTIMS\
        """);
  }

  @Test
  @Rule("P5")
  void whatVictimsLeaveIsHeldForTheNamedJob() {
    RuleTable.check(
        "pool p; node n 1; size 1; dev 0/9; own 1/9",
        """
        dev 0/9 | dev: a; own: x; dev: b              | a stops; b waits CAPACITY; x waits WAITING_FOR_VICTIMS
        dev 0/9 | dev: a; own: x; dev: b^9; settle    | a waits CAPACITY; b waits CAPACITY; x runs
        dev 0/9 | dev: a; own: x; x cancelled         | a stops; x is CANCELLED
        dev 0/9 | dev: a; own: x; x cancelled; settle | a runs
        dev 0/9 | dev: a; own: x; own 0/9             | a stops; x waits WAITING_FOR_VICTIMS
        dev 0/9 | dev: a; own: x; node m 1            | a stops; x runs on m:0
        dev 0/9 | dev: a; own: x; n leaves; node m 1  | x runs on m:0\
        """);
  }

  /// Victims may give a job only the right to start in a pool: its tenant's reservation has room
  /// then. Where another place idles there, the job starts in the same decision. Its other pool is
  /// open to it all the time, and full.
  @Test
  @Rule("P5")
  void aJobThatLacksOnlyTheRightDoesNotWaitForItsVictims() {
    RuleTable.check(
        "pool p; pool q; node n 2; node m 1 in q; size 1 on q; size 1/2 on p q; dev 1/9 of r; own 1/9 of r",
        """
        share r 1/; queue own.1/2 deny | dev: b; dev: c*1/2 a*1/2; own: x*1/2         | a stops for x by P1; x runs on n:1(1/2)
        share r 1/                     | dev: b; dev: c*1/2 a*1/2; own: x*1/2         | a runs; x runs on n:1(1/2)
        share r 2/; queue own.1/2 deny | dev: b; dev: c*1/2 a*1/2 d*1/2 e*1/2; own: x*1/2 | e stops for x by P1; x waits WAITING_FOR_VICTIMS\
        """);
  }

  /// Also where the job's own place idles: the machine's CPUs, its GPU or the pool's ceiling
  /// suffice only after the victims have gone. A job that came later does not take any of it
  /// before.
  @Test
  @Rule("P5")
  void aJobWithAHoldWaitsForAllThatItNeedsAndInOrder() {
    RuleTable.check(
        "size 1; own 9/9",
        """
        pool p; node n 2 cpus 9; dev 0.5/9; size 1/2 cpus 3; size 1 cpus 4 | dev: z*1/2! a*1/2; own: x                | a stops; x waits WAITING_FOR_VICTIMS
        pool p capacity 1.5; node n 2; dev 0.5/9; size 1/2                 | dev: z*1/2! a*1/2; own: x                | a stops; x waits WAITING_FOR_VICTIMS
        pool p capacity 8; node n 6; node m 8; dev 0/9; size 2; size 3; size 4 | dev: a*3 c*3; own: x*4; own: y*2     | a stops; c stops; x waits WAITING_FOR_VICTIMS; y waits WAITING_FOR_VICTIMS
        pool p; node n 1; dev 0/9; size 3/8; size 1/2; size 1/4            | dev: a*3/8 c*3/8; own: x*1/2; own: y*1/4 | a stops; c stops; x waits WAITING_FOR_VICTIMS; y waits WAITING_FOR_VICTIMS\
        """);
  }

  @Test
  @Rule("P6")
  void aJobThatFitsElsewhereOrMayGetAnInstanceDoesNotPreempt() {
    RuleTable.check(
        "pool p; dev 0/9; own 2/9; node n 1; size 1 on p",
        """
        pool q; node m 1 in q; size 1 on p q | dev: a; own: x                | a runs; x runs on m:0
        pool q; node m 1 in q; size 1 on p q | dev: a; own: x y              | a stops; y waits WAITING_FOR_VICTIMS
        pool q; size 1 on p q                | dev: a; own: x                | a stops; x waits WAITING_FOR_VICTIMS
        pool q elastic 1; size 1 on p q      | dev: a; own: x                | a runs; x waits WAITING_FOR_PROVIDER
        pool q elastic 1; size 1 on p q      | dev: a; own: x; 299s          | a runs; x waits WAITING_FOR_PROVIDER
        pool q elastic 1; size 1 on p q      | dev: a; own: x; 300s          | a stops; x waits WAITING_FOR_VICTIMS
        pool q elastic 1; size 1 on p q      | dev: a; own: x; node m 8 in q | a runs; x runs on m:0
        pool q elastic 0; size 1 on p q      | dev: a; own: x                | a stops; x waits WAITING_FOR_VICTIMS
        dev 0/9                              | dev: a; a cancelled; own: x   | a stops; x waits WAITING_FOR_VICTIMS\
        """);
  }

  @Test
  @Rule("P7")
  void reclaimByRankTakesFromWorseRanksAboveTheirReservation() {
    RuleTable.check(
        "pool p; node n 3; own 0/9; dev 0/9",
        """
        size 1 by-rank; queue dev.1 rank 2                      | dev: a b c; own: x     | b runs; c stops for x by P7
        size 1; queue dev.1 rank 2                              | dev: a b c; own: x     | c runs; x waits CAPACITY
        size 1 by-rank; queue dev.1 rank 1                      | dev: a b c; own: x     | c runs; x waits CAPACITY
        size 1 by-rank; queue own.1 rank 2                      | dev: a b c; own: x     | c runs; x waits CAPACITY
        size 1 by-rank; queue dev.1 rank 2; dev 2/9             | dev: a b c; own: x y   | b runs; c stops; y waits CAPACITY
        size 1 by-rank; queue dev.1 rank 2; dev 3/9             | dev: a b c; own: x     | c runs; x waits CAPACITY
        size 1 by-rank; queue dev.1 rank 2; own 0/0 exceeds eve | dev: a b c; own: x@eve | c runs; x waits CAPACITY\
        """);
  }

  @Test
  @Rule("P8")
  void whatHappensToAVictimIsItsPolicysChoice() {
    RuleTable.check(
        "pool p; node n 1; size 1; own 1/9",
        """
        dev 0/9         | dev: a; own: x; settle                 | a waits CAPACITY; x runs
        dev 0/9         | dev: a; own: x; settle; dev: b; x ends | a runs; b waits CAPACITY
        dev 0/9 cancels | dev: a; own: x; settle                 | a is CANCELLED; x runs
        dev 0/9 cancels | dev: a; own: x; a ends                 | a is DONE; x runs\
        """);
  }

  @Test
  @Rule("P9")
  void withinItsPolicyAJobMayTakeFromLowerPriority() {
    RuleTable.check(
        "pool p; node n 2; size 1; ops 0/9",
        """
        dev 0/9 within       | dev: a b; dev: c^1     | a runs; b stops for c by P9
        dev 0/9              | dev: a b; dev: c^1     | b runs; c waits CAPACITY
        dev 0/9 within       | dev: a^1 b; dev: c^1   | a runs; b stops
        dev 0/9 within       | dev: a^1 b^1; dev: c^1 | b runs; c waits CAPACITY
        dev 0/9 within       | dev: a b^1; dev: c^2   | a stops; b runs
        dev 0/9 within       | ops: o q; dev: c^1     | q runs; c waits CAPACITY
        dev 0/1 within       | dev: a; dev: c^1       | a stops; c waits WAITING_FOR_VICTIMS
        dev 2/2 within       | dev: a b; dev: c^1     | a runs; b stops
        dev 2/2 within fixed | dev: a b; dev: c^1     | b runs; c waits LIMIT\
        """);
  }

  @Test
  @Rule("P9")
  void suchVictimsGoTogetherWithThoseOfAReservation() {
    RuleTable.check(
        "pool p; node n 4; size 1; size 2; ops 0/9",
        """
        dev 2/9 within | dev: a; ops: o q r; dev: c*2^1   | a stops for c by P9; q runs; r stops for c by P1
        dev 2/9        | dev: a; ops: o q r; dev: c*2^1   | a runs; r runs; c waits CAPACITY
        dev 1/9 within | dev: a; ops: o q r; dev: c*2^1   | a runs; r runs; c waits CAPACITY
        dev 2/9 within | dev: a b; ops: o q; dev: c*2^1   | a stops; b stops; o runs; q runs
        dev 2/9 within | dev: a^2; ops: o q r; dev: c*2^1 | a runs; r runs; c waits CAPACITY\
        """);
  }

  @Test
  @Rule("P9")
  void thePolicyUsesNoMoreThanBeforeOrThanItsReservation() {
    RuleTable.check(
        "pool p; node n 2; size 1; size 2",
        """
        dev 0/9 within | dev: a; dev: c*2^1   | a runs; c waits CAPACITY
        dev 2/9 within | dev: a; dev: c*2^1   | a stops for c by P9
        dev 0/9 within | dev: a b; dev: c*2^1 | a stops; b stops\
        """);
  }

  @Test
  @Rule("P9")
  void noneGoesThatComesFirstByPositionAndRank() {
    RuleTable.check(
        "node n 2; size 1; size 2; dev 0/9 within",
        """
        pool p order 1 2                       | dev: a b; dev: c*2^1 | a runs; b runs; c waits CAPACITY
        pool p order 2 1                       | dev: a b; dev: c*2^1 | a stops; b stops
        pool p; queue dev.2 rank 2             | dev: a b; dev: c*2^1 | a runs; b runs; c waits CAPACITY
        pool p; queue dev.1 rank 2             | dev: a b; dev: c*2^1 | a stops; b stops\
        """);
  }

  @Test
  @Rule("P10")
  void reclaimFairTakesFromALargerShareThatStaysAsLarge() {
    RuleTable.check(
        "pool p; node n 4; dev 0/9; ops 0/9",
        """
        size 1 fairly                    | dev: a b c d; ops: o     | c runs; d stops for o by P10
        size 1                           | dev: a b c d; ops: o     | d runs; o waits CAPACITY
        size 1 fairly                    | dev: a b c d; ops: o q r | b runs; c stops; d stops; r waits CAPACITY
        size 1 fairly; ops 0/9 weight 3  | dev: a b c d; ops: o q r | a runs; b stops; c stops; d stops
        size 1 fairly; dev 3/9           | dev: a b c d; ops: o     | d runs; o waits CAPACITY
        size 1 fairly; dev 2/9           | dev: a b c d; ops: o q   | c runs; d stops; q waits CAPACITY
        size 1 fairly; ops 1/9           | dev: a b c d; ops: o     | d stops for o by P1
        size 1 fairly; queue ops.1 rank 2 | dev: a b c d; ops: o    | d runs; o waits CAPACITY
        size 1 fairly; queue dev.1 rank 2 | dev: a b c d; ops: o    | d stops for o by P10
        size 1 fairly; ops 0/9 preempt-after 5m | dev: a b c d; ops: o | d runs; o waits CAPACITY\
        """);
  }

  /// `x` fits on `m` only, as soon as the limit of `eng` has room.
  @Test
  @Rule("P10")
  void sharesAreThoseOfPoliciesOfOneDepartmentInAllItsPools() {
    RuleTable.check(
        "pool p; pool q; node n 1; node o 1; node k 1; node l 1; node m 2 in q; size 1 on p;"
            + " size 2 fairly on q p; department eng /4; dev 0/9 in eng",
        """
        ops 0/9 in eng          | dev: a b c d; ops: x*2 | b runs; c stops for x by P10; d stops; x waits WAITING_FOR_VICTIMS
        ops 0/9 in eng weight 2 | dev: a b c d; ops: x*2 | b runs; c stops; d stops
        dev 0/9 in eng weight 2; ops 0/9 in eng | dev: a b c d; ops: x*2 | c runs; d runs; x waits LIMIT\
        """);
  }

  /// Otherwise `a` and `b` would start only to be stopped for `c`.
  @Test
  @Rule("P9")
  void inSuchAPolicyAJobOfHigherPriorityHasItsTurnFirst() {
    RuleTable.check(
        "pool p order 1 2; node n 2; size 1; size 2; ops 0/9",
        """
        dev 0/9        | dev: a b c*2^1      | a runs; b runs; c waits CAPACITY
        dev 0/9 within | dev: a b c*2^1      | a waits CAPACITY; b waits CAPACITY; c runs
        dev 0/9 within | dev: a c*2^1; ops: o | a waits CAPACITY; c runs; o waits CAPACITY
        dev 0/9 within | dev: a^1 b c*2      | a runs; b runs; c waits CAPACITY\
        """);
  }

  /// The limit has room for `x` in both pools only without `e`; then `a` or `b` has to go as well.
  @Test
  @Rule("P9")
  void ofSeveralPoolsTheOneWithTheLeastLostWorkIsChosen() {
    RuleTable.check(
        "pool p; pool q; pool r; node n 3; node m 3 in q; node o 2 in r; size 1 on p; size 2 on r;"
            + " size 3 on p q",
        """
        dev 0/4 within | dev: e*2; dev: a; size 1 on q; 5m; dev: b; 5m; dev: x*3^1          | a runs; b stops; e stops
        dev 0/4 within | dev: e*2; dev: a; size 1 on q; 5m; dev: b; 5m; a saves; dev: x*3^1 | a stops; b runs; e stops\
        """);
  }

  /// Half of each device of both nodes is in use, and `x` needs a whole node. A job that is moved
  /// waits for its new place as a preempted job does.
  @Test
  @Rule("P11")
  void whereAPoolConsolidatesMovableJobsMakeRoom() {
    RuleTable.check(
        "size 1/2; size 2; ops 2/2; node n 2; node m 2",
        """
        pool p consolidates; dev 4/4                | dev: f*1/2 a*1/2+ g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; h ends; i ends; ops: x*2         | a stops for x by P11; b stops for x by P11; c runs; d runs; x waits WAITING_FOR_VICTIMS
        pool p consolidates; dev 4/4                | dev: f*1/2 a*1/2+ g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; h ends; i ends; ops: x*2; settle | a runs; b runs; c runs; d runs; x runs
        pool p consolidates; dev 4/4                | dev: f*1/2 a*1/2 g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; h ends; i ends; ops: x*2          | a runs; b runs; c stops; d stops
        pool p consolidates; dev 4/4                | dev: f*1/2 a*1/2 g*1/2 b*1/2+ h*1/2 c*1/2 i*1/2 d*1/2+; f ends; g ends; h ends; i ends; ops: x*2           | a runs; b runs; c runs; d runs
        pool p consolidates; dev 4/4                | dev: f*1/2 a*1/2+ g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; ops: x*2                         | a runs; b runs; c runs; d runs
        pool p consolidates; dev 4/4 min-runtime 5m | dev: f*1/2 a*1/2+ g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; h ends; i ends; ops: x*2         | a runs; b runs; c runs; d runs
        pool p consolidates; dev 4/4 fixed          | dev: f*1/2 a*1/2+ g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; h ends; i ends; ops: x*2         | a runs; b runs; c runs; d runs
        pool p consolidates; dev 4/4                | dev: f*1/2 a*1/2+ g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; h ends; i ends; 1h; ops: x*2     | a runs; b runs; c runs; d runs
        pool p; dev 4/4                             | dev: f*1/2 a*1/2+ g*1/2 b*1/2+ h*1/2 c*1/2+ i*1/2 d*1/2+; f ends; g ends; h ends; i ends; ops: x*2         | a runs; b runs; c runs; d runs\
        """);
  }
}
