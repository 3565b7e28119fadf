package io.headgate.deploy.e2e;

import io.headgate.kit.testing.Wire.Way;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The network between schedulers, PostgreSQL, agents and callers, which a test can break.
interface Network {
  /// In both directions.
  Set<Way> BOTH = Collections.unmodifiableSet(EnumSet.allOf(Way.class));

  /// Whether the network can suffer this fault.
  boolean canSuffer(Fault fault);

  /// Changes a scheduler's variables so that it uses the network.
  Map<String, String> ofScheduler(Map<String, String> told);

  /// More variables of an agent.
  Map<String, String> ofAgent(String node);

  /// Where agents reach policy-service and pool-service.
  ///
  /// @param services the address for others
  URI services(URI services);

  /// Where agents reach the schedulers.
  List<URI> addresses();

  /// Nothing passes between it and PostgreSQL.
  ///
  /// @param ways what is lost: what it says, or what PostgreSQL answers
  void cutOffDatabase(String scheduler, Set<Way> ways);

  /// No agent, no caller and no other scheduler that forwards a call reaches the scheduler. It
  /// reaches PostgreSQL and its group.
  ///
  /// @param ways lost directions: calls to it, or its answers
  void cutOffCallers(String scheduler, Set<Way> ways);

  /// Nothing passes between the agent and the rest.
  ///
  /// @param ways what is lost: what it says, or what it is told
  void cutOffAgent(String node, Set<Way> ways);

  /// Cuts all connections between the schedulers.
  void cutGroup(Set<Way> ways);

  /// Cuts the two schedulers off from each other in the group, whichever opened a connection.
  void separate(String one, String other) throws IOException;

  /// Delays all data between schedulers, and between schedulers and callers.
  ///
  /// @param most longest delay; each piece of data has another one
  void slow(Duration most);

  /// Every connection of a caller ends; what was on its way is lost.
  void hangUp() throws IOException;

  /// Everything passes again.
  void mend();

  /// Ends it for good.
  void close() throws IOException;
}
