package io.headgate.scheduler.client;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.ClusterState;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.leadership.Group;
import io.headgate.scheduler.runtime.leadership.GroupView;
import io.headgate.scheduler.runtime.leadership.Members;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The schedulers' group, seen by Hazelcast as a failure detector. Leadership is a row in
/// PostgreSQL, and the group only hints that a member has gone.
///
/// Every member is a lite one and stores nothing. There are no clients, no discovery, no scripts,
/// no console and no report to the makers. Each connection carries a [GroupSeal], so only a process
/// that knows the group's secret reaches Hazelcast's protocol. The address is private, members are
/// named by address, and Java serialisation admits one enumeration and exceptions.
public final class HazelcastMembers implements Members {
  private static final Logger LOG = LoggerFactory.getLogger(HazelcastMembers.class);

  /// Bytes of the group's secret.
  public static final int SECRET_LENGTH = 32;

  private static final String NAME = "replica";

  /// A port that is taken, or a network that is not there yet, may be right a moment later.
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private static final Duration QUIET = Duration.ofMinutes(1);

  private static final Duration LOOK = Duration.ofSeconds(1);

  private static final Map<String, String> PROPERTIES =
      Map.ofEntries(
          Map.entry("hazelcast.phone.home.enabled", "false"),
          Map.entry("hazelcast.logging.type", "slf4j"),
          Map.entry("hazelcast.shutdownhook.enabled", "false"),
          Map.entry("hazelcast.socket.bind.any", "false"),
          Map.entry("hazelcast.heartbeat.interval.seconds", "1"),
          Map.entry("hazelcast.max.no.heartbeat.seconds", "5"),
          // A group that fell apart finds together again in seconds instead of minutes.
          Map.entry("hazelcast.merge.first.run.delay.seconds", "5"),
          Map.entry("hazelcast.merge.next.run.delay.seconds", "5"),
          // It carries a heartbeat a second: the fewest threads that it works with.
          Map.entry("hazelcast.io.thread.count", "1"),
          Map.entry("hazelcast.operation.thread.count", "2"),
          Map.entry("hazelcast.operation.generic.thread.count", "2"),
          Map.entry("hazelcast.event.thread.count", "1"),
          Map.entry("hazelcast.partition.count", "3"));

  /// Classes that members exchange by Java serialisation: the announcement that parts of a split
  /// group merge, and the reasons of refusals. A member that cannot read such an answer waits for
  /// it for minutes.
  private static final List<String> CLASSES =
      List.of(
          ClusterState.class.getName(),
          Enum.class.getName(),
          Throwable.class.getName(),
          Exception.class.getName(),
          IOException.class.getName(),
          RuntimeException.class.getName(),
          IllegalArgumentException.class.getName(),
          IllegalStateException.class.getName(),
          NullPointerException.class.getName(),
          UnsupportedOperationException.class.getName(),
          StackTraceElement.class.getName(),
          StackTraceElement[].class.getName(),
          // The JDK's name for the empty list of suppressed exceptions.
          "java.util.Collections$EmptyList",
          "java.util.CollSer",
          HazelcastSerializationException.class.getName());

  /// Nothing but exceptions can be serialised there.
  private static final List<String> PREFIXES =
      List.of("com.hazelcast.core.", "com.hazelcast.spi.exception.");

  private final GroupConfig group;
  private final String name;
  private final Supplier<byte[]> secret;
  private final TimeSource time;
  private final AtomicLong refusals = new AtomicLong();
  private final AtomicLong saidNanos = new AtomicLong();
  private final GroupView view;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /// @param name this replica's
  /// @param secret which all members share; called by the group's thread, and again after a failure
  public HazelcastMembers(
      GroupConfig group, String name, Supplier<byte[]> secret, TimeSource time) {
    this.group = group;
    this.name = name;
    this.secret = secret;
    this.time = time;
    this.view = new GroupView(time);
    this.thread = Thread.ofPlatform().name("scheduler-group").daemon().unstarted(this::run);
  }

  @Override
  public void start() {
    // Joining takes seconds, and may fail: leadership waits for neither.
    thread.start();
  }

  /// Keeps a member of the group alive. Hazelcast ends its member on an error that it holds for
  /// fatal, and the next one takes its place.
  private void run() {
    try {
      while (closed.getCount() > 0) {
        runMember();
        pause();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runMember() throws InterruptedException {
    @Nullable HazelcastInstance instance = null;
    try {
      instance =
          HazelcastInstanceFactory.newHazelcastInstance(
              config(), null, new SealedGroupContext(secret.get(), this::refused));
      view.see(names(instance.getCluster()));
      LOG.info("replica {} is in the group {}", name, view.group().present());
      while (instance.getLifecycleService().isRunning()
          && !closed.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        // It runs.
      }
    } catch (RuntimeException e) {
      LOG.warn(
          "no group at {}, trying again; until then followers notice a dead leader only when its"
              + " lease expires: {}",
          group.address(),
          e.toString());
    } finally {
      if (instance != null) {
        // At once: there is nothing to hand over.
        instance.getLifecycleService().terminate();
      }
    }
  }

  /// Says so at most once a minute: a stranger must not fill the log.
  private void refused(String connection) {
    long count = refusals.incrementAndGet();
    long now = time.monotonicNanos();
    long said = saidNanos.get();
    if ((count == 1 || now - said >= QUIET.toNanos()) && saidNanos.compareAndSet(said, now)) {
      LOG.warn(
          "the group's port {} refused a connection that does not know the group's secret, {}"
              + " so far; the last one is {}",
          group.address().orElse(""),
          count,
          connection);
    }
  }

  /// Connections that ended without proof of the group's secret.
  long refusals() {
    return refusals.get();
  }

  private void pause() throws InterruptedException {
    if (closed.await(AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.debug("the group is closed");
    }
  }

  /// Oldest first.
  private static List<String> names(Cluster cluster) {
    List<String> names = new ArrayList<>();
    for (Member member : cluster.getMembers()) {
      @Nullable String known = member.getAttribute(NAME);
      if (known != null && !names.contains(known)) {
        names.add(known);
      }
    }
    return names;
  }

  Config config() {
    Config config = new Config();
    config.setClusterName("headgate-schedulers");
    config.setLiteMember(true);
    PROPERTIES.forEach(config::setProperty);
    config.getMemberAttributeConfig().setAttribute(NAME, name);
    config.getMetricsConfig().setEnabled(false);
    config.getJetConfig().setEnabled(false);
    config
        .getManagementCenterConfig()
        .setScriptingEnabled(false)
        .setConsoleEnabled(false)
        .setDataAccessEnabled(false);
    config
        .getSerializationConfig()
        .setAllowUnsafe(false)
        .setJavaSerializationFilterConfig(nearlyNothing());
    config.setAdvancedNetworkConfig(network());
    config.addListenerConfig(new ListenerConfig(new Listener()));
    return config;
  }

  private static JavaSerializationFilterConfig nearlyNothing() {
    JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
    filter.setDefaultsDisabled(true);
    filter
        .getWhitelist()
        .addClasses(CLASSES.toArray(String[]::new))
        .addPrefixes(PREFIXES.toArray(String[]::new));
    return filter;
  }

  /// Only the members' own protocol is served: no clients, no REST, no text protocol.
  private AdvancedNetworkConfig network() {
    ServerSocketEndpointConfig endpoint = new ServerSocketEndpointConfig();
    endpoint.setName("members").setPort(group.port()).setPortAutoIncrement(false);
    endpoint.setReuseAddress(true);
    group.advertisedAddress().ifPresent(endpoint::setPublicAddress);
    endpoint.getInterfaces().setEnabled(true).addInterface(group.host());
    AdvancedNetworkConfig network = new AdvancedNetworkConfig();
    network.setEnabled(true);
    network.setMemberEndpointConfig(endpoint);
    JoinConfig join = new JoinConfig();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig()
        .setEnabled(true)
        .setConnectionTimeoutSeconds(2)
        .setMembers(group.members());
    network.setJoin(join);
    return network;
  }

  private final class Listener implements MembershipListener {
    @Override
    public void memberAdded(MembershipEvent event) {
      view.see(names(event.getCluster()));
      LOG.info("replica {} joined the group of {}", event.getMember().getAttribute(NAME), name);
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
      view.see(names(event.getCluster()));
      LOG.info("replica {} left the group of {}", event.getMember().getAttribute(NAME), name);
    }
  }

  @Override
  public Group group() {
    return view.group();
  }

  @Override
  public void awaitChange(Duration atMost) throws InterruptedException {
    view.awaitChange(atMost);
  }

  @Override
  public boolean refuses(String address) {
    return PortProbe.isRefused(address);
  }

  @Override
  public void close() {
    closed.countDown();
    view.close();
    try {
      // Unlike a join for a duration this one does not mind if it was never started.
      thread.join(AGAIN.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
