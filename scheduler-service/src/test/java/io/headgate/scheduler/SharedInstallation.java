package io.headgate.scheduler;

import io.headgate.kit.testing.PostgresFixture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// One running installation for a test class whose tests do not disturb each other: the first
/// worked example's tenant, with its node connected.
final class SharedInstallation implements BeforeAllCallback, AfterAllCallback {
  private final PostgresFixture postgres = PostgresFixture.of("scheduler");
  private final AtomicInteger number = new AtomicInteger();
  private Installation installation;
  private FakeAgent agent;

  @Override
  public void beforeAll(ExtensionContext context) {
    installation = new Installation(postgres.fresh());
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    agent = installation.agent("a-0").connect();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    installation.close();
  }

  Installation get() {
    return installation;
  }

  FakeAgent agent() {
    return agent;
  }

  /// A name that no other test has.
  String fresh(String prefix) {
    return prefix + "-x" + number.incrementAndGet();
  }
}
