package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.watch.WatchParts;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WatchAccessTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private Channel scheduler;

  @BeforeEach
  void connect() {
    scheduler = POLICY.as("services/scheduler");
  }

  @Test
  void beginsWithEverythingThereIs() {
    Acme acme = Acme.found(POLICY);
    acme.replace(acme.twoTeams());
    POLICY.tenant();
    try (Watching watching = Watching.from(scheduler)) {
      WatchAccessResponse first = watching.next();
      assertThat(first.getSnapshot()).isTrue();
      assertThat(first.getVersion()).isPositive();
      assertThat(Watching.configurations(first)).contains(acme.configuration());
      assertThat(first.getConfigurationsList()).allMatch(each -> each.getVersion() > 0);
    }
  }

  @Test
  void tellsOfEachChangeAsItIsCommitted() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    try (Watching watching = Watching.from(scheduler)) {
      long version = watching.next().getVersion();
      acme.policy("rnd", "rnd", "1", "8");
      WatchAccessResponse change = watching.change();
      assertThat(change.getSnapshot()).isFalse();
      assertThat(change.getVersion()).isGreaterThan(version);
      assertThat(Watching.configurations(change)).containsExactly(acme.configuration());
      acme.queue("rnd-3", "rnd", "three");
      assertThat(Watching.configurations(watching.change())).containsExactly(acme.configuration());
    }
  }

  @Test
  void endsAfterOneStepIfItsReaderAsksForNoMore() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    List<WatchAccessResponse> parts = new ArrayList<>();
    AccessConfigurationServiceGrpc.newBlockingStub(scheduler)
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .watchAccess(WatchAccessRequest.newBuilder().setOneStep(true).build())
        .forEachRemaining(parts::add);
    assertThat(parts.getLast().getLast()).isTrue();
    assertThat(Watching.configurations(WatchParts.join(parts))).contains(acme.configuration());
  }

  @Test
  void resumesWhereItStoppedWithEachTenantOnce() {
    Acme acme = Acme.found(POLICY);
    Acme other = Acme.found(POLICY);
    acme.group("a");
    other.group("a");
    WatchAccessResponse seen = position();
    acme.group("b");
    acme.group("c");
    try (Watching watching = Watching.from(scheduler, seen)) {
      WatchAccessResponse missed = watching.next();
      assertThat(missed.getSnapshot()).isFalse();
      assertThat(Watching.configurations(missed)).containsExactly(acme.configuration());
    }
  }

  @Test
  void aChangeThatChangesNothingIsNotTold() {
    Acme acme = Acme.found(POLICY);
    acme.replace(acme.twoTeams());
    WatchAccessResponse seen = position();
    acme.replace(acme.twoTeams());
    assertThat(position()).isEqualTo(seen);
  }

  @Test
  void tellsOfTenantsThatAreGone() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    WatchAccessResponse seen = position();
    try (Watching watching = Watching.from(scheduler)) {
      watching.next();
      delete(acme.id());
      assertThat(watching.change().getDeletedTenantsList()).containsExactly(acme.id());
    }
    try (Watching late = Watching.from(scheduler, seen)) {
      assertThat(late.next().getDeletedTenantsList()).containsExactly(acme.id());
    }
    try (Watching fresh = Watching.from(scheduler)) {
      WatchAccessResponse snapshot = fresh.next();
      assertThat(snapshot.getDeletedTenantsList()).isEmpty();
      assertThat(snapshot.getConfigurationsList())
          .extracting(AccessConfiguration::getTenant)
          .doesNotContain(acme.id());
    }
  }

  @Test
  void aVersionThatIsYetToComeBeginsAnew() {
    Acme.found(POLICY).group("rnd");
    WatchAccessResponse later = position().toBuilder().setVersion(1_000_000).build();
    try (Watching watching = Watching.from(scheduler, later)) {
      assertThat(watching.next().getSnapshot()).isTrue();
    }
  }

  @Test
  void whoWatchedAnotherIncarnationBeginsAnew() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    WatchAccessResponse seen = position();
    try (Watching open = Watching.from(scheduler, seen)) {
      assertThat(open.next().getSnapshot()).isFalse();
      POSTGRES.database().jooq().execute("update access_watch set incarnation = gen_random_uuid()");
      acme.group("ops");
      WatchAccessResponse told = open.change();
      assertThat(told.getSnapshot()).isTrue();
      assertThat(told.getIncarnation()).isNotEqualTo(seen.getIncarnation());
      assertThat(Watching.configurations(told)).contains(acme.configuration());
    }
    try (Watching late = Watching.from(scheduler, seen)) {
      assertThat(late.next().getSnapshot()).isTrue();
    }
    try (Watching current = Watching.from(scheduler, position())) {
      assertThat(current.next().getSnapshot()).isFalse();
    }
  }

  @Test
  void aTenantLargerThanAMessageComesInParts() {
    Acme acme = Acme.found(POLICY);
    String[] users =
        IntStream.range(0, 9000)
            .mapToObj(i -> "a-user-with-a-rather-long-name-number-" + i)
            .toArray(String[]::new);
    for (String group : List.of("a", "b", "c")) {
      acme.group(group, users);
    }
    try (Watching watching = Watching.from(scheduler)) {
      assertThat(Watching.configurations(watching.change())).contains(acme.configuration());
      assertThat(watching.sizes()).hasSizeGreaterThan(3);
      assertThat(watching.sizes()).allMatch(size -> size <= WatchParts.BOUND);
    }
  }

  @Test
  void endsWithTheServerAndResumesAfterItsRestart() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    WatchAccessResponse seen;
    try (Watching watching = Watching.from(scheduler)) {
      seen = watching.next();
      POLICY.service().close();
      Refusal refusal = GrpcFailures.refusal(watching.failure()).orElseThrow();
      assertThat(refusal.reason()).isEqualTo("SERVER_STOPPING");
      assertThat(refusal.metadata()).containsEntry("version", Long.toString(seen.getVersion()));
    }
    POLICY.restart();
    connect();
    try (Watching watching = Watching.from(scheduler, seen)) {
      WatchAccessResponse alive = watching.next();
      assertThat(alive.getSnapshot()).isFalse();
      assertThat(alive.getVersion()).isEqualTo(seen.getVersion());
      assertThat(alive.getConfigurationsList()).isEmpty();
    }
    assertThat(configurations()).contains(acme.id());
  }

  @Test
  void hearsOfAnotherInstancesChanges() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd");
    try (Watching watching = Watching.from(scheduler);
        SecondInstance second = SecondInstance.of(POSTGRES.config(), POLICY)) {
      watching.next();
      second.createGroup(acme.id(), "made-elsewhere");
      assertThat(Watching.configurations(watching.change())).containsExactly(acme.configuration());
    }
  }

  private List<String> configurations() {
    try (Watching watching = Watching.from(scheduler)) {
      return watching.next().getConfigurationsList().stream()
          .map(AccessConfiguration::getTenant)
          .toList();
    }
  }

  private WatchAccessResponse position() {
    try (Watching watching = Watching.from(scheduler)) {
      return watching.next();
    }
  }

  private static void delete(String tenant) {
    TenantServiceGrpc.newBlockingStub(POLICY.operator())
        .deleteTenant(DeleteTenantRequest.newBuilder().setName("tenants/" + tenant).build());
  }
}
