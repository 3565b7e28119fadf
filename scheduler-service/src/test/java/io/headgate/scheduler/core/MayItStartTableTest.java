package io.headgate.scheduler.core;

import org.junit.jupiter.api.Test;

/// The conditions for a start (A1-A8), rule by rule: what there is | what happens | what comes of
/// it. The words are explained in [RuleStory].
class MayItStartTableTest {
  @Test
  @Rule("A1")
  void theQueueExistsIsOpenAndAdmitsTheSubmitter() {
    RuleTable.check(
        "pool p; node n 4; size 1; dev 4/4",
        """
        queue dev.1        | dev: a                                   | a runs
        queue dev.1 closed | dev: a                                   | a waits QUEUE_CLOSED
        queue dev.1 closed | dev: a; queue dev.1 rank 1               | a runs
        queue dev.1 gone   | dev: a                                   | a refused UnknownQueue
        dev 4/4            | dev: a; queue dev.1 gone; a ends; dev: b | a is DONE; b refused UnknownQueue
        dev 1/1            | dev: a b; queue dev.1 gone               | a runs; b is DRAFT
        dev 1/1            | dev: a b; b withdrawn; a ends            | a is DONE; b is DRAFT
        dev 1/1            | dev: a b; a withdrawn                    | a runs; b waits LIMIT\
        """);
  }

  @Test
  @Rule("A2")
  void usageAndNeedStayWithinTheLimit() {
    RuleTable.check(
        "pool p order 1 2; node n 8; size 1; size 2; ops 8/8",
        """
        dev 0/2             | dev: a b c                          | a runs; b runs; c waits LIMIT
        dev 0/3             | dev: a*2 b*2                        | a runs; b waits LIMIT
        dev 0/1             | dev: a*2                            | a refused AboveLimit
        dev 0/2             | dev: a b c; a cancelled             | a stops; c waits LIMIT
        dev 0/2             | dev: a b c; a cancelled; settle     | a is CANCELLED; c runs
        dev 0/2             | dev: a b c; dev 0/1                 | a runs; b runs; c waits LIMIT
        dev 0/2             | dev: a b c; dev 0/1; a ends         | b runs; c waits LIMIT
        dev 0/2             | dev: a b c; dev 0/1; a ends; b ends | c runs
        dev 0/1 exceeds eve | dev: a b@eve c                      | a runs; b runs; c waits LIMIT
        dev 0/1 exceeds eve | dev: a b@eve; ops: o*2 q*2 r*2 s    | a runs; b stops\
        """);
  }

  @Test
  @Rule("A3")
  void theTenantsReservationAndLimitBindOneLevelUp() {
    RuleTable.check(
        "pool p; node n 4; size 1; red 4/9 of r; blue 4/9 of b",
        """
        share r 2/3; share b 2/4 | red: a b c d                      | a runs; b runs; c runs; d waits LIMIT
        share r 2/;  share b 2/  | red: a b c d                      | d runs
        share r 2/;  share b 2/  | red: a b c d; blue: e f           | c stops for f by P1; d stops for e by P1
        share r 2/;  share b 2/  | red: a b c d; blue: e f g; settle | a runs; b runs; g waits CAPACITY
        share r 4/;  share b 2/  | red: a b c d; blue: e             | d runs; e waits CAPACITY
        share b 2/               | red: a b c d; blue: e f g         | b runs; c stops; d stops; g waits CAPACITY
        share r 2/;  share b 2/  | red: a! b! c!                     | b runs; c waits NON_PREEMPTIBLE
        share r 2/; share b 2/; queue red.1 deny | red: a b c; blue: e | b runs; c waits OVER_RESERVATION_DENIED; e runs
        share r /; share b 2/; queue red.1 deny  | red: a b c d         | d runs
        share r 2/; share b 2/; queue red.1 deny | blue: e f g h; red: a b c | g stops; h stops; c waits OVER_RESERVATION_DENIED\
        """);
  }

  @Test
  @Rule("A3")
  void theReservationAndLimitOfEachDepartmentBind() {
    RuleTable.check(
        "pool p; node n 8; size 1; size 2; dev 2/8 in eng; ops 2/8 in eng; out 2/8 in all",
        """
        department eng /5                             | dev: a b c d e f                 | e runs; f waits LIMIT
        department eng 4/5                            | dev: a b c d; ops: e f           | e runs; d stops for f by P1
        department eng 4/4                            | dev: a b c; ops: e f g           | c stops for f by P1; g waits LIMIT
        department all /3; department eng / under all | dev: a b; out: c d               | c runs; d waits LIMIT
        department eng 1/1                            | dev: a*2                         | a refused AboveDepartmentLimit
        department eng /2                             | dev: a b c; department eng /3    | c runs
        department eng /2                             | dev: a b c; department eng /1    | b runs; c waits LIMIT
        department eng /2                             | dev: a b c; dev 2/8              | c runs
        department eng /2; dev 2/2 exceeds eve in eng | dev: a@eve b@eve c@eve           | b runs; c waits LIMIT
        department eng 1/; queue dev.1 deny           | dev: a b                         | a runs; b waits OVER_RESERVATION_DENIED
        department eng 2/; queue dev.1 deny           | ops: a; dev: b c                 | b runs; c waits OVER_RESERVATION_DENIED
        department eng 0/; queue dev.1 deny           | dev: a                           | a refused AboveDepartmentReservation
        department eng 3/                             | dev: a! b!; ops: c! d!           | c runs; d waits NON_PREEMPTIBLE
        department eng 1/                             | dev: a*2!                        | a refused NonPreemptibleAboveDepartmentReservation\
        """);
  }

  @Test
  @Rule("A4")
  void eachUserStaysWithinTheUsersLimit() {
    RuleTable.check(
        "pool p order 1 2; node n 8; size 1; size 2",
        """
        dev 8/8              | dev: a@bob b@bob c@bob         | c runs
        dev 8/8 user-limit 2 | dev: a@bob b@bob c@bob d@eve   | b runs; c waits USER_LIMIT; d runs
        dev 8/8 user-limit 2 | dev: a@bob b@bob c@bob; a ends | c runs
        dev 8/8 user-limit 2 | dev: a*2@bob; dev: b@bob       | a runs; b waits USER_LIMIT
        dev 8/8 user-limit 2 | dev: a@bob; dev: b*2@bob       | a runs; b waits USER_LIMIT
        dev 8/8 user-limit 1 | dev: a*2@bob                   | a refused AboveUserLimit\
        """);
  }

  @Test
  @Rule("A5")
  void aQueueThatDeniesOverReservationStartsEntitledJobsOnly() {
    RuleTable.check(
        "pool p; node n 8; size 1; dev 2/4",
        """
        queue dev.1 rank 1                    | dev: a b c d e             | d runs; e waits LIMIT
        queue dev.1 deny                      | dev: a b c                 | b runs; c waits OVER_RESERVATION_DENIED
        queue dev.1 deny                      | dev: a b c; a ends         | c runs
        queue dev.1 deny                      | dev: a b c; dev 3/4        | c runs
        dev 0/4; queue dev.1 deny             | dev: a                     | a refused AboveReservation
        node n 2; ops 0/4; queue dev.1 deny   | ops: o q; dev: a b         | a waits WAITING_FOR_VICTIMS; b waits WAITING_FOR_VICTIMS
        node n 2; ops 0/4; queue dev.1 deny   | ops: o q; dev: a b; dev 1/4 | a waits WAITING_FOR_VICTIMS; b waits OVER_RESERVATION_DENIED
        node n 2; ops 0/4; queue dev.1 rank 1 | ops: o q; dev: a b; dev 1/4 | a waits WAITING_FOR_VICTIMS; b waits WAITING_FOR_VICTIMS\
        """);
  }

  @Test
  @Rule("A6")
  void itFits() {
    RuleTable.check(
        "pool p order 4 2 1 1/2; size 1; size 2; size 4; dev 9/9",
        """
        node n 4                       | dev: a*2 b*2 c         | a runs on n:0,1; b runs on n:2,3; c waits CAPACITY
        node n 3; node m 3             | dev: a*2 b*2 c*2       | b runs; c waits FRAGMENTATION
        node n 2                       | dev: a*4               | a refused NoNodeFits
        node n 1; size 1/2             | dev: a*1/2 b*1/2 c*1/2 | a runs on n:0(1/2); b runs on n:0(1/2); c waits CAPACITY
        node n 4 draining              | dev: a                 | a waits CAPACITY
        node n 4 suspect               | dev: a; node n 4       | a runs
        node n 4 cpus 3; size 1 cpus 2 | dev: a b               | a runs; b waits FRAGMENTATION
        node n 4; size 1 memory 500    | dev: a b c             | a runs; b runs; c waits FRAGMENTATION
        node n 4; size 1 memory 1025   | dev: a                 | a refused NoNodeFits
        node n 4; size 1/2 hardware    | dev: a*1/2             | a refused NoNodeFits
        node n 4; size 1 model A100    | dev: a                 | a refused NoNodeFits
        node n 4; size 1 model H100    | dev: a                 | a runs
        pool p for ops; node n 4       | dev: a                 | a refused NoPool
        pool p for dev; node n 4       | dev: a                 | a runs
        node n 2; node m 2; size 2 x2  | dev: a*2 b*2           | a runs on m:0,1 n:0,1; b waits CAPACITY
        node n 2; size 2 x2            | dev: a*2               | a waits CAPACITY\
        """);
  }

  @Test
  @Rule("A7")
  void thePoolsCapacityCapsWhatIsUsedOfIt() {
    RuleTable.check(
        "node n 8; size 1; size 2; dev 8/8",
        """
        pool p order 1 2            | dev: a*2 b*2 c*2 d*2                          | d runs
        pool p capacity 3 order 1 2 | dev: a*2 b*2                                  | a runs; b waits POOL_CAPACITY
        pool p capacity 3 order 1 2 | dev: a*2 b                                    | a runs; b runs
        pool p capacity 1 order 1 2 | dev: a*2                                      | a refused AbovePoolCapacity
        pool p order 1 2            | dev: a b c; pool p capacity 2                 | a runs; b runs; c runs
        pool p order 1 2            | dev: a b c; pool p capacity 2; a ends; dev: d | d waits POOL_CAPACITY\
        """);
  }

  @Test
  @Rule("A8")
  void nonPreemptibleJobsStayWithinTheReservationAndAreNeverVictims() {
    RuleTable.check(
        "pool p; node n 3; size 1; ops 3/3",
        """
        dev 2/3       | dev: a! b! c!           | b runs; c waits NON_PREEMPTIBLE
        dev 2/4       | dev: a! b! c! d         | b runs; c waits NON_PREEMPTIBLE; d runs
        dev 2/3 fixed | dev: a b c              | b runs; c waits NON_PREEMPTIBLE
        dev 0/3       | dev: a!                 | a refused NonPreemptibleAboveReservation
        dev 1/3       | dev: a b c!; ops: o     | a runs; b stops for o by P1; c runs
        dev 1/3       | dev: a b c!; ops: o q r | a stops; b stops; c runs; r waits CAPACITY\
        """);
  }
}
