package io.headgate.scheduler.runtime.desk;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.Document;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A half that waits is not stored, so that the next leader gets it from its service again.
class CatalogJournalTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final Set<TenantId> NOBODY = Set.of();
  private static final Set<TenantId> WAITING = Set.of(ACME);

  private final CatalogJournal journal = new CatalogJournal(Map.of("supply", at(4)));

  @Test
  void storesNewsAsTheyCome() {
    CatalogChange news = news(5, "tenants/acme", "tenants/acme/nodes/n");
    assertThat(journal.add("supply", news, NOBODY)).contains(news);
    assertThat(journal.release()).isEmpty();
  }

  @Test
  void keepsAWaitingHalfBackAndItsPosition() {
    CatalogChange stored =
        journal
            .add(
                "supply",
                news(5, "tenants/acme", "tenants/acme/prepared", "tenants/acme/nodes/n"),
                WAITING)
            .orElseThrow();
    assertThat(stored.position()).isEqualTo(at(4));
    assertThat(keys(stored)).containsExactly("tenants/acme/nodes/n");
    assertThat(journal.add("supply", news(6, "tenants/beta"), WAITING).orElseThrow().position())
        .isEqualTo(at(4));

    assertThat(journal.add("supply", news(7, "tenants/beta"), NOBODY)).isEmpty();
    CatalogChange released = journal.release().get("supply");
    assertThat(released.position()).isEqualTo(at(7));
    assertThat(keys(released))
        .containsExactly("tenants/acme", "tenants/acme/prepared", "tenants/beta");
    assertThat(journal.release()).isEmpty();
  }

  @Test
  void aSnapshotIsStoredWholeOrNotAtAll() {
    CatalogChange snapshot =
        new CatalogChange(
            at(9), true, List.of(entry("tenants/acme"), entry("tenants/beta")), List.of());
    assertThat(journal.add("supply", snapshot, WAITING)).isEmpty();
    assertThat(
            journal.add(
                "supply",
                new CatalogChange(at(10), false, List.of(), List.of("tenants/beta")),
                WAITING))
        .isEmpty();

    CatalogChange released = journal.release().get("supply");
    assertThat(released.snapshot()).isTrue();
    assertThat(released.position()).isEqualTo(at(10));
    assertThat(keys(released)).containsExactly("tenants/acme");
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
