package io.headgate.kit.audit;

import io.headgate.kit.telemetry.ServiceMetrics;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongGauge;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the last entry of each chain into the log of the process, and so to where logs are sent.
/// A later change of the database does not reach that log. Chains that did not grow are left out. A
/// chain that no longer has the entry of the last anchor is an error in the log: entries were
/// removed or changed, or the database was restored. Has a thread of its own.
public final class AuditAnchors implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditAnchors.class);
  private static final Duration INTERVAL = Duration.ofMinutes(5);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final String name;
  private final AuditChain chain;
  private final Map<String, AuditAnchor> written = new HashMap<>();
  private final Map<String, Long> sequences = new ConcurrentHashMap<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private final ObservableLongGauge gauge;

  /// @param name of the log in its anchors: `policy` or `pool`
  public AuditAnchors(String name, AuditChain chain, Meter meter) {
    this.name = name;
    this.chain = chain;
    this.thread = Thread.ofVirtual().name("audit-anchors-" + name).unstarted(this::run);
    this.gauge =
        ServiceMetrics.AUDIT_SEQUENCE
            .gauge(meter)
            .ofLongs()
            .buildWithCallback(gauge ->
                sequences.forEach((tenant, sequence) ->
                    gauge.record(
                        sequence,
                        Attributes.of(
                            ServiceMetrics.SCHEMA, name, ServiceMetrics.TENANT, tenant))));
  }

  /// Writes anchors now, and every five minutes.
  public void start() {
    thread.start();
  }

  /// Writes an anchor of each chain that grew, and an error for each that lost an anchor.
  synchronized void write() {
    for (String tenant : chain.withoutThem(written)) {
      LOG.error(
          "the audit log of {} no longer has the entry of the anchor {}:{}. Entries were removed or"
              + " changed, unless the database was restored.",
          owner(tenant),
          name,
          written.remove(tenant));
    }
    chain
        .heads()
        .forEach((tenant, head) -> {
          if (!head.equals(written.put(tenant, head))) {
            sequences.put(tenant, head.sequence());
            LOG.info("audit anchor of {}: {}:{}", owner(tenant), name, head);
          }
        });
  }

  private static String owner(String tenant) {
    return tenant.isEmpty() ? "the installation" : "tenants/" + tenant;
  }

  private void run() {
    try {
      do {
        tryToWrite();
      } while (!closing.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
      tryToWrite();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tryToWrite() {
    try {
      write();
    } catch (RuntimeException e) {
      LOG.warn("no anchors of the audit log; trying again in {}: {}", INTERVAL, e.toString());
    }
  }

  /// Writes the last anchors.
  @Override
  public void close() {
    gauge.close();
    closing.countDown();
    try {
      if (thread.getState() != Thread.State.NEW && !thread.join(STOP_BOUND)) {
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
