package io.headgate.scheduler.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Finding.PolicyUse;
import io.headgate.scheduler.core.explain.Finding.SearchOutcome;
import io.headgate.scheduler.core.explain.Finding.Victims;
import io.headgate.type.Viewer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CheckTextTest {
  private static final long GPU = 126_000;
  private static final Viewer OF_OPS =
      Viewer.member("tenants/acme/users/eve", Set.of("ops"), Set.of(), false);

  private static String text(Finding finding, Viewer viewer) {
    return CheckText.of(Check.of("P1", "victims", false, finding), viewer);
  }

  @Test
  void countsPoliciesOfOtherTeamsAndNamesTheReadersOwn() {
    Victims over =
        new Victims(
            List.of(
                new PolicyUse("ops", 6 * GPU, 5 * GPU),
                new PolicyUse("rnd", 9 * GPU, 5 * GPU),
                new PolicyUse("sales", 7 * GPU, 5 * GPU)),
            List.of(),
            SearchOutcome.NOT_MADE);
    assertThat(text(over, Viewer.OF_ALL))
        .isEqualTo("above the reservation: ops (6 of 5), rnd (9 of 5), sales (7 of 5)");
    assertThat(text(over, OF_OPS))
        .isEqualTo("above the reservation: ops (6 of 5), 2 of other teams");
    Victims within =
        new Victims(
            List.of(), List.of(new PolicyUse("rnd", 3 * GPU, 5 * GPU)), SearchOutcome.NO_ROOM);
    assertThat(text(within, OF_OPS))
        .isEqualTo("no other policy is above its reservation: one of another team");
  }
}
