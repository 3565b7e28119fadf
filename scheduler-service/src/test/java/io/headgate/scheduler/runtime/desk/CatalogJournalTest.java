package io.headgate.scheduler.runtime.desk;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A half that waits is not stored, so that the next leader gets it from its service again.
class CatalogJournalTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final TenantId BETA = new TenantId("beta");

  private final CatalogJournal journal =
      new CatalogJournal(
          Map.of(
              "supply",
              new LoadedState.Catalog(
                  at(4), List.of(entry("tenants/acme"), entry("tenants/gone")))));

  @Test
  void storesNewsAsTheyCome() {
    CatalogChange news = news(5, "tenants/acme", "tenants/acme/nodes/n");
    journal.add("supply", news);
    assertThat(release()).isEqualTo(Map.of("supply", news));
    assertThat(release()).isEmpty();
  }

  @Test
  void keepsAWaitingHalfBackAndItsPosition() {
    journal.add("supply", news(5, "tenants/acme", "tenants/acme/prepared", "tenants/acme/nodes/n"));
    CatalogChange stored = release(ACME).get("supply");
    assertThat(stored.position()).isEqualTo(at(4));
    assertThat(keys(stored)).containsExactly("tenants/acme/nodes/n");
    journal.add("supply", news(6, "tenants/beta"));
    stored = release(ACME).get("supply");
    assertThat(stored.position()).isEqualTo(at(4));
    assertThat(keys(stored)).containsExactly("tenants/beta");
    assertThat(release(ACME)).isEmpty();

    journal.add("supply", news(7, "tenants/beta"));
    CatalogChange released = release().get("supply");
    assertThat(released.position()).isEqualTo(at(7));
    assertThat(keys(released))
        .containsExactly("tenants/acme", "tenants/acme/prepared", "tenants/beta");
    assertThat(release()).isEmpty();
  }

  @Test
  void storesATenantsHalvesWhenItIsTakenAlthoughAnotherWaits() {
    journal.add("access", news(8, "tenants/acme"));
    journal.add("access", news(9, "tenants/beta"));
    assertThat(release(ACME, BETA)).isEmpty();

    journal.add("supply", news(5, "tenants/acme"));
    Map<String, CatalogChange> taken = release(BETA);
    assertThat(keys(taken.get("supply"))).containsExactly("tenants/acme");
    assertThat(keys(taken.get("access"))).containsExactly("tenants/acme");
    assertThat(taken.get("access").position())
        .as("beta still waits")
        .isEqualTo(WatchPosition.START);
  }

  @Test
  void storesOnlyTheNewestOfAnEntry() {
    journal.add("supply", news(5, "tenants/acme"));
    assertThat(release(ACME)).isEmpty();
    CatalogEntry newer = new CatalogEntry("tenants/acme", Document.of(new byte[] {2}));
    journal.add("supply", new CatalogChange(at(6), false, List.of(newer), List.of()));
    assertThat(release().get("supply").entries()).containsExactly(newer);
    assertThat(release()).isEmpty();
  }

  @Test
  void storesThePartOfASnapshotThatDoesNotWait() {
    journal.add(
        "supply",
        new CatalogChange(
            at(9), true, List.of(entry("tenants/acme"), entry("tenants/beta")), List.of()));
    CatalogChange part = release(ACME).get("supply");
    assertThat(part.snapshot()).as("acme's stored half stays").isFalse();
    assertThat(part.position()).isEqualTo(at(4));
    assertThat(keys(part)).containsExactly("tenants/beta");
    assertThat(part.removedKeys()).containsExactly("tenants/gone");

    CatalogChange rest = release().get("supply");
    assertThat(rest.position()).isEqualTo(at(9));
    assertThat(rest.snapshot()).isFalse();
    assertThat(keys(rest)).containsExactly("tenants/acme");
    assertThat(rest.removedKeys()).isEmpty();
  }

  @Test
  void storesAWholeSnapshotInPlaceOfAllThatWasStored() {
    CatalogChange snapshot =
        new CatalogChange(at(9), true, List.of(entry("tenants/acme")), List.of());
    journal.add("supply", snapshot);
    assertThat(release()).isEqualTo(Map.of("supply", snapshot));
  }

  private Map<String, CatalogChange> release(TenantId... waiting) {
    return journal.release(Set.of(waiting));
  }

  private static List<String> keys(CatalogChange change) {
    return change.entries().stream().map(CatalogEntry::key).toList();
  }

  private static CatalogChange news(long version, String... keys) {
    return new CatalogChange(
        at(version), false, Stream.of(keys).map(CatalogJournalTest::entry).toList(), List.of());
  }

  private static CatalogEntry entry(String key) {
    return new CatalogEntry(key, Document.of(new byte[] {1}));
  }

  private static WatchPosition at(long version) {
    return new WatchPosition("life", version);
  }
}
