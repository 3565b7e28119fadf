package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FairBoundTest {
  private static final long NONE = Long.MAX_VALUE;

  private final FairBound bound = new FairBound(1000);

  @Test
  void whoAsksForAllGetsHalf() {
    assertThat(enter("ada", "acme", 1000)).isEqualTo(500);
  }

  @Test
  void whoComesLaterGetsAsMuchAsTheFirstWhoseCallsEnd() {
    int ada = enter("ada", "acme", 1000);
    int bob = enter("bob", "globex", 1000);
    assertThat(bob).as("at once").isEqualTo(250);
    while (ada > bob + 1) {
      bound.leave("ada", "acme", 1);
      ada += enter("ada", "acme", 1) - 1;
      bob += enter("bob", "globex", 1);
    }
    assertThat(ada + bob).isBetween(665, 667);
    assertThat(enter("carol", "initech", 1000)).isBetween(166, 168);
  }

  @Test
  void aTenantWithManyCallersLeavesRoomForOthers() {
    int taken = 0;
    for (int i = 0; i < 1000; i++) {
      taken += enter("user-" + i, "acme", 1000);
    }
    assertThat(taken).isEqualTo(667);
    assertThat(enter("bob", "globex", 1000)).isBetween(166, 167);
  }

  @Test
  void whatHasEndedIsForgotten() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(bound.enter("ada", "acme", 1)).isTrue();
      bound.leave("ada", "acme", 1);
    }
    assertThat(enter("ada", "acme", 1000)).isEqualTo(500);
  }

  /// A refusal names a holder that its reader knows.
  @Test
  void aRefusalNamesWhatHoldsTooMuch() {
    assertThat(refusal(new CallOrigin("", "tenants/acme/users/ada", "acme"), 600))
        .startsWith("tenants/acme/users/ada has");
    assertThat(refusal(new CallOrigin("", "operators/root", "operators/root"), 600))
        .startsWith("operators/root has");
    assertThat(refusal(new CallOrigin("", "", ""), 600))
        .startsWith("the group of callers without a token has");
    assertThat(refusal(new CallOrigin("", "ada", "acme"), 2000)).startsWith("the server has");
  }

  private static String refusal(CallOrigin origin, long amount) {
    FairBound full = new FairBound(1000);
    assertThat(full.enter(origin, 400)).isEmpty();
    return full.enter(origin, amount).orElseThrow().holder() + " has";
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theSmallestBoundsLetSomebodyIn(int most) {
    FairBound small = new FairBound(most);
    assertThat(small.enter("ada", "acme", 1)).isTrue();
    assertThat(small.enter("bob", "acme", 1)).isEqualTo(most > 1);
  }

  @Test
  void whatIsLargeCountsAsMuch() {
    assertThat(bound.enter("ada", "acme", 400)).isTrue();
    assertThat(bound.enter("ada", "acme", 400)).as("more than is free").isFalse();
    assertThat(bound.enter("bob", "globex", 601)).as("more than there is").isFalse();
    assertThat(bound.enter("bob", "globex", 300)).isTrue();
    bound.leave("ada", "acme", 400);
    assertThat(bound.enter("bob", "globex", 400)).isTrue();
  }

  @Test
  void aTenantHasNoMoreThanItsLimitHoweverManyItsCallersAre() {
    FairBound limited = new FairBound(new FairBound.Limits(1000, 100, NONE, NONE));
    int taken = 0;
    for (int i = 0; i < 1000; i++) {
      taken += limited.enter("user-" + i, "acme", 1) ? 1 : 0;
    }
    assertThat(taken).isEqualTo(100);
    assertThat(limited.enter(new CallOrigin("", "late", "acme"), 1))
        .contains(new FairBound.Excess("tenant acme", 100, 100));
    assertThat(limited.enter("bob", "globex", 50)).as("another tenant").isTrue();
    limited.leave("user-0", "acme", 1);
    assertThat(limited.enter("late", "acme", 1)).as("one has left").isTrue();
  }

  /// Ada's share is what the tenant has left, not what the server has left.
  @Test
  void theCallersOfATenantShareItsLimitAsTenantsShareTheServer() {
    FairBound limited = new FairBound(new FairBound.Limits(1000, 100, NONE, NONE));
    assertThat(enter(limited, new CallOrigin("", "ada", "acme"))).isEqualTo(50);
    assertThat(enter(limited, new CallOrigin("", "eve", "acme"))).isEqualTo(25);
    assertThat(enter(limited, new CallOrigin("", "dan", "acme"))).isEqualTo(13);
    assertThat(limited.inProgress()).isEqualTo(88);
  }

  @Test
  void aConnectionHasNoMoreThanItsLimitWhicheverCallerUsesIt() {
    FairBound limited = new FairBound(new FairBound.Limits(1000, NONE, NONE, 10));
    assertThat(enter(limited, new CallOrigin("proxy", "ada", "acme"))).isEqualTo(10);
    assertThat(limited.enter(new CallOrigin("proxy", "bob", "globex"), 1))
        .contains(new FairBound.Excess("the connection", 10, 10));
    assertThat(limited.inProgress()).as("the refused call took nothing").isEqualTo(10);
    assertThat(enter(limited, new CallOrigin("own", "ada", "acme"))).isEqualTo(10);
    limited.leave(new CallOrigin("proxy", "ada", "acme"), 4);
    assertThat(enter(limited, new CallOrigin("proxy", "bob", "globex"))).isEqualTo(4);
  }

  /// A call whose connection is unknown shares no bound with other such calls.
  @Test
  void callsWithoutAConnectionAreBoundByTheirCallersAlone() {
    FairBound limited = new FairBound(new FairBound.Limits(1000, NONE, 7, 2));
    assertThat(enter(limited, new CallOrigin("", "ada", "acme"))).isEqualTo(7);
    assertThat(limited.enter(new CallOrigin("", "ada", "acme"), 1))
        .contains(new FairBound.Excess("ada", 7, 7));
    assertThat(enter(limited, new CallOrigin("", "bob", "acme"))).isEqualTo(7);
  }

  private static int enter(FairBound limited, CallOrigin origin) {
    int entered = 0;
    while (limited.enter(origin, 1).isEmpty()) {
      entered++;
    }
    return entered;
  }

  private int enter(String caller, String tenant, int times) {
    int entered = 0;
    for (int i = 0; i < times; i++) {
      entered += bound.enter(caller, tenant, 1) ? 1 : 0;
    }
    return entered;
  }
}
