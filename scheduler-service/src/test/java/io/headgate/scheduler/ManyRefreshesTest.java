package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestTokens;
import io.headgate.kit.testing.Wire;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.scheduler.client.PolicyAccessSource;
import io.headgate.scheduler.client.PoolCatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Refreshes share the connection of the followed watches. Servers cut a connection on which a
/// client resets more than 400 streams in a minute.
@Timeout(240)
class ManyRefreshesTest {
  private static final int REFRESHES = 600;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestTokens tokens = TestTokens.create();
  private final Neighbours neighbours = new Neighbours(tokens);
  private final List<CatalogUpdate> updates = new CopyOnWriteArrayList<>();
  private final List<CatalogSource.Watch> watches = new ArrayList<>();
  private Wire wire;
  private ManagedChannel channel;

  @BeforeEach
  void open() throws IOException {
    wire = Wire.to(neighbours.uri().getPort());
    channel =
        Channels.open(
            TestChannels.patient(URI.create("http://" + wire.address())),
            () -> Optional.of(tokens.service("scheduler")),
            Telemetry.disabled());
  }

  @AfterEach
  void close() throws IOException {
    watches.forEach(CatalogSource.Watch::close);
    Channels.close(channel);
    wire.close();
    neighbours.close();
  }

  @Test
  void hundredsOfRefreshesInAMinuteLeaveTheConnectionOfTheWatches() {
    neighbours.grant(AccessConfiguration.newBuilder().setTenant("acme").setVersion(1).build());
    for (CatalogSource source :
        List.of(new PoolCatalogSource(channel), new PolicyAccessSource(channel))) {
      watches.add(source.watch(WatchPosition.START, updates::add));
    }
    await().atMost(PATIENCE).until(() -> neighbours.watchesOfAccess() == 1 && updates.size() == 2);

    for (int i = 0; i < REFRESHES; i++) {
      watches.forEach(watch -> watch.refresh(PATIENCE));
    }

    assertThat(neighbours.watchesOfAccess()).as("followed once").isEqualTo(1 + REFRESHES);
    assertThat(wire.opened()).as("connections").isEqualTo(1);
    int before = updates.size();
    neighbours.grant(AccessConfiguration.newBuilder().setTenant("acme").setVersion(2).build());
    await().atMost(PATIENCE).until(() -> updates.size() > before);
  }
}
