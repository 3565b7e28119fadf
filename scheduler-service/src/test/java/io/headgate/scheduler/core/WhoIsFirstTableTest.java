package io.headgate.scheduler.core;

import org.junit.jupiter.api.Test;

/// The order of jobs (O1-O7), rule by rule: world | history | outcome. All jobs wait before the
/// machine exists, so the order of submission does not decide by itself. [RuleStory] explains the
/// words.
class WhoIsFirstTableTest {
  @Test
  @Rule("O1")
  void entitledBeforeNotEntitled() {
    RuleTable.check(
        "pool p order 1 2; size 1; size 2; queue dev.1 rank 1",
        """
        dev 0/4; ops 1/4; queue ops.1 rank 9             | dev: a; ops: o; node n 1       | a waits CAPACITY; o runs
        dev 1/4; ops 1/4; queue ops.1 rank 9             | dev: a; ops: o; node n 1       | a runs; o waits CAPACITY
        dev 1/4; ops 1/4; queue ops.1 rank 9             | dev: a b; ops: o q; node n 2   | a runs; b waits CAPACITY; o runs
        dev 0/4; ops 2/4                                 | dev: a; ops: o*2; node n 2     | a waits CAPACITY; o runs
        dev 0/4; ops 1/4                                 | dev: a; ops: o*2; node n 2     | a runs; o waits CAPACITY
        dev 0/1 exceeds eve; ops 0/4; queue ops.1 rank 9 | dev: a b@eve; ops: o; node n 2 | a runs; b waits CAPACITY; o runs\
        """);
  }

  @Test
  @Rule("O1")
  void whatADepartmentLeavesUnusedGoesToItsPoliciesFirst() {
    RuleTable.check(
        "pool p; size 1; dev 0/9 in eng; out 0/9",
        """
        department eng 2/                              | out: a b; dev: c d e; node n 3    | a runs; b waits CAPACITY; c runs; d runs; e waits CAPACITY
        department eng /                               | dev: c; out: a; node n 1          | a runs; c waits CAPACITY
        department all 2/; department eng / under all  | out: a; dev: c; node n 1          | a waits CAPACITY; c runs
        department eng 2/; ops 2/2 in eng              | out: a; dev: c; ops: o q; node n 3 | a runs; c waits CAPACITY; o runs; q runs
        department eng 4/; dev 0/1 exceeds eve in eng  | dev: c d@eve; out: a; node n 2    | a runs; c runs; d waits CAPACITY\
        """);
  }

  @Test
  @Rule("O2")
  void thenThePoolsExecutionPriorityOfTheProfile() {
    RuleTable.check(
        "size 1; size 2; dev 0/9; ops 0/9; queue ops.2 rank 9",
        """
        pool p order 1 2 | dev: a b; ops: o*2; node n 2 | a runs; b runs; o waits CAPACITY
        pool p order 2 1 | dev: a b; ops: o*2; node n 2 | a waits CAPACITY; b waits CAPACITY; o runs
        pool p order 2   | dev: a b; ops: o*2; node n 2 | a waits CAPACITY; b waits CAPACITY; o runs
        pool p           | dev: a b; ops: o*2; node n 2 | a runs; b runs; o waits CAPACITY
        pool p           | ops: o*2; dev: a b; node n 2 | a runs; b runs; o waits CAPACITY
        pool p order 2 1 | dev: a b; ops: o*2; node n 1 | a runs; b waits CAPACITY; o waits NEVER_FITS\
        """);
  }

  @Test
  @Rule("O3")
  void thenTheQueuesRank() {
    RuleTable.check(
        "pool p; size 1; dev 0/9; ops 0/9",
        """
        queue dev.1 rank 1; queue ops.1 rank 2 | dev: a b; ops: o q; node n 2 | a runs; b runs; o waits CAPACITY
        queue dev.1 rank 2; queue ops.1 rank 1 | dev: a b; ops: o q; node n 2 | a waits CAPACITY; o runs; q runs
        queue dev.1 rank 2; queue ops.1 rank 1 | dev: a b; ops: o; node n 2   | a runs; b waits CAPACITY; o runs\
        """);
  }

  @Test
  @Rule("O3")
  void ranksCompareAcrossProfiles() {
    RuleTable.check(
        "pool p; size 1; size 2; dev 0/9; ops 0/9",
        """
        queue ops.2 rank 2                                     | ops: o*2; dev: a; node n 2   | a runs; o waits CAPACITY
        queue dev.1 rank 3; queue ops.2 rank 2                 | dev: a; ops: o*2; node n 2   | a waits CAPACITY; o runs
        pool p order 1; queue dev.1 rank 3; queue ops.2 rank 2 | ops: o*2; dev: a; node n 2   | a runs; o waits CAPACITY
        queue dev.2 rank 3; queue dev.1 rank 4                 | dev: b; dev: a*2; node n 2   | a runs; b waits CAPACITY
        queue dev.2 rank 2; queue ops.1 rank 2                 | dev: a*2; ops: o; node n 2   | a runs; o waits CAPACITY\
        """);
  }

  @Test
  @Rule("O4")
  void entitledJobsShareByUsageOfTheReservation() {
    RuleTable.check(
        "pool p; size 1; size 2",
        """
        dev 4/9; ops 4/9          | dev: a b c d; ops: o q r s; node n 4          | a runs; b runs; c waits CAPACITY; o runs; q runs; r waits CAPACITY
        dev 6/9; ops 2/9          | ops: o q; dev: a b c d e f; node n 4          | a runs; c runs; d waits CAPACITY; o runs; q waits CAPACITY
        dev 4/9 weight 9; ops 4/9 | ops: o q r s; dev: a b c d; node n 4         | b runs; c waits CAPACITY; q runs; r waits CAPACITY
        dev 4/9; ops 8/9         | node m 1; dev: a; dev: b; ops: o; node n 1    | a runs; b waits CAPACITY; o runs
        dev 4/9; ops 8/9         | node m 1; ops: o; dev: b; ops: q; node n 1    | b runs; o runs; q waits CAPACITY
        dev 0/9; ops 1/9         | node m 1; ops: o; ops: q; dev: a; node n 1    | a waits CAPACITY; q runs\
        """);
  }

  @Test
  @Rule("O4")
  void equalRanksShareByOverReservationUseAndWeight() {
    RuleTable.check(
        "pool p; size 1",
        """
        dev 0/9; ops 0/9          | ops: o; dev: a; node n 1             | a waits CAPACITY; o runs
        dev 0/9; ops 0/9          | dev: a; ops: o; node n 1             | a runs; o waits CAPACITY
        dev 0/9; ops 0/9          | dev: a b c d; ops: o q r s; node n 4 | a runs; b runs; c waits CAPACITY; o runs; q runs; r waits CAPACITY
        dev 0/9; ops 0/9 weight 3 | dev: a b c d; ops: o q r s; node n 4 | a runs; b waits CAPACITY; o runs; q runs; r runs; s waits CAPACITY
        dev 0/9 weight 3; ops 0/9 | dev: a b c d; ops: o q r s; node n 4 | a runs; b runs; c runs; d waits CAPACITY; o runs; q waits CAPACITY
        dev 2/9; ops 0/9          | dev: a b c d; ops: o q r s; node n 4 | a runs; b runs; c runs; d waits CAPACITY; o runs; q waits CAPACITY\
        """);
  }

  @Test
  @Rule("O4")
  void pastUseCountsWhereThePoolHasAHalfLife() {
    RuleTable.check(
        "size 1; dev 0/9; ops 0/9",
        """
        pool p                                           | dev: a; node n 1; 60m; dev: b; ops: o; a ends                | b runs; o waits CAPACITY
        pool p half-life 60m                             | dev: a; node n 1; 60m; dev: b; ops: o; a ends                | b waits CAPACITY; o runs
        pool p half-life 60m; dev 1/9                    | dev: a; node n 1; 60m; dev: b; ops: o; a ends                | b runs; o waits CAPACITY
        pool p half-life 60m                             | dev: a; node n 2; 60m; ops: o; dev: b; ops: q; o ends        | b waits CAPACITY; q runs
        pool p half-life 60m; dev 0/9 weight 9           | dev: a c; node n 2; 60m; ops: o; 30m; a ends; dev: b; ops: q; c ends | b runs; q waits CAPACITY
        pool p half-life 60m                             | dev: a; node n 1; 60m; a ends; ops: o; 300m; dev: b; ops: q; o ends  | b runs; q waits CAPACITY
        pool p half-life 60m; queue ops.1 rank 2         | dev: a; node n 1; 60m; dev: b; ops: o; a ends                | b runs; o waits CAPACITY
        pool p half-life 60m; dev 0/9 in e; department e / | dev: a; node n 1; 60m; dev: b; ops: o; a ends              | b waits CAPACITY; o runs\
        """);
  }

  @Test
  @Rule("O4")
  void pastUseOfTenantsCountsToo() {
    RuleTable.check(
        "pool p; size 1; red 9/9 of r; blue 9/9 of b; share r 0/9; share b 0/9",
        """
        red 9/9 of r         | red: a; node n 1; 60m; red: c; blue: o; a ends | c runs; o waits CAPACITY
        pool p half-life 60m | red: a; node n 1; 60m; red: c; blue: o; a ends | c waits CAPACITY; o runs\
        """);
  }

  @Test
  @Rule("O4")
  void sharesOfDepartmentsComeBeforeThoseOfPolicies() {
    RuleTable.check(
        "pool p; size 1",
        """
        dev 4/9 in eng; rec 4/9 in hr; department eng 8/; department hr 4/         | rec: o q; dev: a b; node n 3         | a runs; b runs; o runs; q waits CAPACITY
        dev 4/9 in eng; rec 8/9 in eng; out 4/9; department eng 12/                | dev: a; out: c; rec: o; dev: b; node n 3 | a runs; b waits CAPACITY; c runs; o runs
        dev 0/9 in eng; rec 0/9 in hr; department eng / weight 3; department hr /  | dev: a b c d; rec: e f g h; node n 4 | c runs; d waits CAPACITY; e runs; f waits CAPACITY
        dev 0/9 in eng; rec 0/9 in eng; out 0/9; department eng /                  | out: a b c; dev: d e; rec: f g; node n 4 | b runs; c waits CAPACITY; d runs; e waits CAPACITY; f runs\
        """);
  }

  @Test
  @Rule("O5")
  void jobPriorityThenSubmission() {
    RuleTable.check(
        "pool p; size 1; dev 0/9; ops 2/2",
        """
        dev 0/9              | dev: a b; node n 1                                     | a runs; b waits CAPACITY
        dev 0/9              | dev: a b^1; node n 1                                   | a waits CAPACITY; b runs
        dev 9/9              | dev: a! b; node n 1                                    | a runs; b waits CAPACITY
        dev 9/9              | dev: a! b^1; node n 1                                  | a waits CAPACITY; b runs
        dev 9/9              | dev: a b^1!; node n 1                                  | a waits CAPACITY; b runs
        dev 9/9 user-limit 3 | dev: a@eve b@bob^1; node n 1                           | a waits CAPACITY; b runs
        dev 0/9              | dev: a^-1 b; node n 1                                  | a waits CAPACITY; b runs
        dev 2/2              | dev: a; ops: o; node n 1                               | a runs; o waits CAPACITY
        dev 2/2              | dev: a; ops: o^1; node n 1                             | a waits CAPACITY; o runs
        dev 2/2              | dev: a^2; ops: o^1; node n 1                           | a runs; o waits CAPACITY
        dev 2/2              | dev: a b; ops: o^9 q^9; node n 2                       | a runs; b waits CAPACITY; o runs
        dev 0/9              | dev: a b; node n 2; ops: o; dev: c; settle; o ends     | a runs; b runs; c waits CAPACITY
        dev 0/9              | dev: a b; node n 1; a requeued; settle                 | a runs; b waits CAPACITY
        dev 0/9              | dev: a b; node n 1; a ends; a requeued; b ends; settle | a runs; b is DONE
        dev 0/9              | dev: a b c; node n 1; a ends; a requeued; b ends       | a waits CAPACITY; c runs\
        """);
  }

  @Test
  @Rule("O6")
  void aJobTakesTheFirstPoolOfItsRouteThatCanTakeItNow() {
    RuleTable.check(
        "pool p; pool q; node n 1; node m 2 in q; dev 0/9",
        """
        size 1 on p q | dev: a b c d             | a runs on n:0; b runs on m:0; c runs on m:1; d waits CAPACITY
        size 1 on q p | dev: a b c d             | a runs on m:0; b runs on m:1; c runs on n:0; d waits CAPACITY
        size 1 on q   | dev: a b c               | a runs on m:0; b runs on m:1; c waits CAPACITY
        size 1 on p q | dev: a b; a ends; dev: c | b runs on m:0; c runs on n:0\
        """);
  }

  @Test
  @Rule("O7")
  void aJobThatWasBlockedForLongHoldsWhatOthersLeave() {
    RuleTable.check(
        "pool p order 2 1; node n 2; size 1; size 2 hold-after 10m; dev 0/9; ops 0/9",
        """
        dev 0/9 | dev: a~60m; ops: o*2; 9m; dev: b               | b runs; o waits CAPACITY
        dev 0/9 | dev: a~60m; ops: o*2; 10m; dev: b              | b waits HOLD; o waits HOLDING
        dev 0/9 | dev: a~60m; ops: o*2; 10m; dev: b~50m          | b runs; o waits HOLDING
        dev 0/9 | dev: a~60m; ops: o*2; 10m; dev: b~51m          | b waits HOLD; o waits HOLDING
        dev 0/9 | dev: a; ops: o*2; 10m; dev: b~1m               | b runs; o waits CAPACITY
        dev 0/9 | dev: a~60m; ops: o*2; 10m; dev: b; a ends      | b waits CAPACITY; o runs
        dev 0/9 | dev: a~60m; ops: o*2; 10m; dev: b; o cancelled | b runs; o is CANCELLED
        dev 1/9 | dev: a~60m; ops: o*2; 10m; dev: b              | b waits HOLD; o waits HOLDING
        dev 2/9 | dev: a~60m; ops: o*2; 10m; dev: b              | b runs; o waits HOLDING\
        """);
  }

  /// A hold keeps its share under a pool's ceiling, too. A job that ends in time uses that like the
  /// nodes: there, elsewhere, and as a gang.
  @Test
  @Rule("O7")
  void aJobThatEndsInTimePassesAHoldUnderACeiling() {
    RuleTable.check(
        "size 1; size 2 hold-after 10m; size 1/2 x2; dev 0/9; ops 0/9; node n 2",
        """
        pool p capacity 2 order 2 1 | dev: a~60m; ops: o*2; 10m; dev: b~50m                      | b runs on n:1; o waits HOLDING
        pool p capacity 2 order 2 1 | dev: a~60m; ops: o*2; 10m; dev: b~51m                      | b waits HOLD; o waits HOLDING
        pool p capacity 2 order 2 1 | dev: a~60m; ops: o*2; 10m; dev: b*1/2~50m                  | b runs; o waits HOLDING
        pool p capacity 2 order 2 1 | dev: a~60m; ops: o*2; 10m; dev: b*1/2~51m                  | b waits HOLD; o waits HOLDING
        pool p capacity 3 order 2 1 | dev: a~60m c~60m; ops: o*2; 10m; node k 1; dev: b~50m      | b runs on k:0; o waits HOLDING
        pool p capacity 3 order 2 1 | dev: a~60m c~60m; ops: o*2; 10m; node k 1; dev: b~51m      | b waits HOLD; o waits HOLDING\
        """);
  }

  @Test
  @Rule("O7")
  void aJobThatWaitedForPromoteAfterCountsAsOfTheFirstPositionAndRank() {
    RuleTable.check(
        "pool p promote-after 10m; size 1 hold-after 99m; dev 0/9; ops 0/9; queue ops.1 rank 2",
        """
        dev 0/9                                   | ops: o; 9m; dev: a; node n 1                  | a runs; o waits CAPACITY
        dev 0/9                                   | ops: o; 10m; dev: a; node n 1                 | a waits CAPACITY; o runs
        pool q; size 1 on q hold-after 99m        | ops: o; 10m; dev: a; node n 1 in q            | a runs; o waits CAPACITY
        dev 1/9                                   | ops: o; 10m; dev: a; node n 1                 | a runs; o waits CAPACITY
        pool p promote-after 10m order 2; size 2  | ops: o; 10m; dev: a*2; node n 2               | a waits CAPACITY; o runs
        dev 0/9                                   | dev: a; 10m; dev: b^9; node n 1               | a runs; b waits CAPACITY
        dev 0/9 user-limit 9                      | dev: a@eve; 10m; dev: b@bob^9; node n 1       | a runs; b waits CAPACITY
        dev 0/9 within                            | dev: a; 10m; dev: b^9; node n 1               | a waits CAPACITY; b runs
        dev 0/9                                   | dev: a b^9; 10m; dev: c^10; node n 1          | a waits CAPACITY; b runs; c waits CAPACITY
        dev 0/9                                   | dev: a; ops: o; 10m; dev: b; node n 2         | a runs; b waits CAPACITY; o runs
        dev 0/9                                   | ops: o; node n 1; 10m; dev: a; o requeued     | a waits CAPACITY; o stops
        dev 0/9                                   | ops: o; node n 1; 10m; dev: a; o requeued; settle | a runs; o waits CAPACITY\
        """);
  }

  /// Its rights and its place among victims stay those of its rank.
  @Test
  @Rule("O7")
  void promotionOrdersStartsOnly() {
    RuleTable.check(
        "size 1 by-rank; dev 0/9; ops 0/9; queue ops.1 rank 2",
        """
        pool p                   | ops: o; 10m; node n 1; dev: a    | a waits WAITING_FOR_VICTIMS; o stops for a by P7
        pool p promote-after 10m | ops: o; 10m; node n 1; dev: a    | a waits WAITING_FOR_VICTIMS; o stops for a by P7
        pool p promote-after 10m | dev: a; node n 1; ops: o; 10m    | a runs; o waits CAPACITY\
        """);
  }

  /// A hold is on nodes. Under a pool's ceiling it keeps its share, too. But it does not keep it
  /// from a job that waits for victims and whose own place, elsewhere, is free.
  @Test
  @Rule("O7")
  void aHoldElsewhereKeepsNoJobThatWaitsForVictimsFromAFreePlace() {
    RuleTable.check(
        "size 1; size 2 hold-after 10m; hard 3/3 fixed; ops 2/2; own 1/1; node n 2",
        """
        pool p capacity 4 order 2 1 | hard: l~60m; node k 1; hard: s~60m; node j 1; ops: b*2; 10m; s cancelled; own: x | b waits HOLDING; s stops; x runs on j:0
        pool p capacity 4 order 2 1 | hard: l~60m; node k 1; hard: s~60m; node j 1; ops: b*2; 10m; own: x              | b waits HOLDING; s runs; x waits HOLD\
        """);
  }
}
