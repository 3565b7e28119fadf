package io.headgate.scheduler.runtime.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Batch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Two services tell halves of one change, and the catalog shows both or neither.
class CatalogsTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final JointChange CHANGE = new JointChange("c", 13, 8);

  private final Catalogs catalogs = new Catalogs(WAIT);

  @BeforeEach
  void begin() {
    apply(supply(12, Optional.empty()));
    apply(access(7, Optional.empty()));
    assertThat(inForce()).isEqualTo("12.7");
  }

  @Test
  void keepsBothUntilTheRightsHaveCome() {
    apply(supply(13, Optional.of(CHANGE)));
    assertThat(inForce()).isEqualTo("12.7");
    assertThat(catalogs.waiting()).containsExactly(ACME);

    assertThat(apply(access(8, Optional.of(CHANGE))).tenants()).containsExactly(ACME);
    assertThat(inForce()).isEqualTo("13.8");
    assertThat(catalogs.waiting()).isEmpty();
  }

  @Test
  void keepsBothUntilTheSupplyHasCome() {
    apply(access(8, Optional.of(CHANGE)));
    assertThat(inForce()).isEqualTo("12.7");

    Catalogs.Moved moved = apply(supply(13, Optional.of(CHANGE)));
    assertThat(moved.rights()).containsExactly(ACME);
    assertThat(inForce()).isEqualTo("13.8");
  }

  @Test
  void takesPreparedSupplyOnceTheRightsProveThatItIsCommitted() {
    assertThat(apply(prepared(12, 13, "c")).tenants()).isEmpty();
    assertThat(inForce()).isEqualTo("12.7");

    apply(access(8, Optional.of(CHANGE)));
    assertThat(inForce()).isEqualTo("13.8");
    assertThat(apply(supply(13, Optional.of(CHANGE))).tenants()).as("it is known").isEmpty();
  }

  @Test
  void preparedSupplyOfAnotherChangeIsNotTaken() {
    apply(prepared(12, 13, "other"));
    apply(access(8, Optional.of(CHANGE)));
    assertThat(inForce()).isEqualTo("12.7");
    // That one was abandoned.
    apply(supply(12, Optional.empty()));
    assertThat(inForce()).isEqualTo("12.7");
  }

  @Test
  void laterVersionsOfEitherHalfCompleteTheChange() {
    apply(access(9, Optional.of(CHANGE)));
    assertThat(inForce()).isEqualTo("12.7");
    apply(supply(15, Optional.of(CHANGE)));
    assertThat(inForce()).isEqualTo("15.9");
  }

  @Test
  void aHalfWithoutItsSiblingIsInForceAloneAfterTheWait() {
    apply(access(8, Optional.of(CHANGE)));
    assertThat(catalogs.isOverdue(NOW.plus(WAIT).minusNanos(1))).isFalse();
    assertThat(catalogs.isOverdue(NOW.plus(WAIT))).isTrue();

    assertThat(catalogs.takeOverdue(NOW.plus(WAIT)).rights()).containsExactly(ACME);
    assertThat(inForce()).isEqualTo("12.8");
    apply(access(9, Optional.of(CHANGE)));
    assertThat(inForce()).as("its wait is over").isEqualTo("12.9");
    apply(supply(13, Optional.of(CHANGE)));
    assertThat(inForce()).isEqualTo("13.9");
  }

  @Test
  void anotherHalfDoesNotProlongTheWait() {
    apply(access(8, Optional.of(CHANGE)));
    catalogs.apply(access(9, Optional.of(CHANGE)), NOW.plusSeconds(20));
    assertThat(catalogs.isOverdue(NOW.plus(WAIT))).isTrue();
  }

  @Test
  void eachChangeHasItsOwnWaitAndManyDoNotWaitForEver() {
    apply(access(8, Optional.of(CHANGE)));
    for (int i = 1; i <= 10; i++) {
      JointChange next = new JointChange("c" + i, 13 + i, 8 + i);
      catalogs.apply(access(8 + i, Optional.of(next)), NOW.plusSeconds(25L * i));
      Instant end = NOW.plusSeconds(Math.min(25L * i + 30, 90));
      assertThat(catalogs.isOverdue(end.minusNanos(1))).as("change %d", i).isFalse();
      assertThat(catalogs.isOverdue(end)).as("change %d", i).isTrue();
    }
  }

  @Test
  void theRightsOfARemovedTenantEndAtOnce() {
    apply(supply(13, Optional.of(CHANGE)));
    apply(access(8, Optional.of(CHANGE)));

    apply(
        new CatalogUpdate.OfAccess(
            new Batch.CatalogChange(WatchPosition.START, false, List.of(), List.of()),
            List.of(),
            List.of(ACME)));
    assertThat(inForce()).isEqualTo("13.0");
  }

  private Catalogs.Moved apply(CatalogUpdate update) {
    return catalogs.apply(update, NOW);
  }

  private String inForce() {
    CatalogView view = catalogs.view();
    return view.resourceVersion(ACME) + "." + view.accessVersion(ACME);
  }

  private static CatalogUpdate supply(long version, Optional<JointChange> joint) {
    return new CatalogUpdate.OfSupply(
        news(),
        List.of(new Supply(ACME, version, List.of(), List.of(), joint)),
        List.of(),
        List.of(),
        List.of());
  }

  private static CatalogUpdate prepared(long inForce, long version, String change) {
    return new CatalogUpdate.OfSupply(
        news(),
        List.of(new Supply(ACME, inForce, List.of(), List.of())),
        List.of(
            new Supply(
                ACME,
                version,
                List.of(),
                List.of(),
                Optional.of(new JointChange(change, version, 0)))),
        List.of(),
        List.of(),
        List.of());
  }

  private static CatalogUpdate access(long version, Optional<JointChange> joint) {
    return new CatalogUpdate.OfAccess(
        news(),
        List.of(
            new Access(
                ACME,
                version,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                joint,
                Access.Roles.UNKNOWN,
                List.of(),
                List.of())),
        List.of());
  }

  private static Batch.CatalogChange news() {
    return new Batch.CatalogChange(WatchPosition.START, false, List.of(), List.of());
  }
}
