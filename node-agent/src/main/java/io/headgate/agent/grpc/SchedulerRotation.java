package io.headgate.agent.grpc;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which scheduler is tried next, and when: the known addresses in turn, but first where we are
/// sent, and after every loss with growing, jittered waits. Confined to the client's thread.
public final class SchedulerRotation {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerRotation.class);
  private static final int MAX_REDIRECTS = 4;
  private static final Duration FIRST_WAIT = Duration.ofMillis(100);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  /// While replicas answer and none leads: an election takes seconds.
  private static final Duration LONGEST_ELECTION_WAIT = Duration.ofSeconds(1);

  private final List<URI> schedulers;
  private final Backoff backoff;
  private final Backoff electing;
  private URI address;
  private int turn;
  private int redirects;

  /// Begins with the first.
  ///
  /// @param schedulers addresses of the replicas, at least one
  public SchedulerRotation(List<URI> schedulers, RandomGenerator random) {
    this.schedulers = List.copyOf(schedulers);
    this.backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT, random);
    this.electing = new Backoff(FIRST_WAIT, LONGEST_ELECTION_WAIT, random);
    this.address = schedulers.getFirst();
  }

  /// The one to be tried now.
  public URI address() {
    return address;
  }

  /// A session with it is over.
  ///
  /// @param lasted from when it was tried
  /// @return how long to wait before the next is tried
  public Duration after(SchedulerSession.Outcome outcome, Duration lasted) {
    Optional<URI> leader = leaderOf(outcome, address);
    if (leader.isPresent() && redirects < MAX_REDIRECTS) {
      redirects++;
      address = leader.get();
      return Duration.ZERO;
    }
    boolean isElecting = redirects > 0 || outcome instanceof SchedulerSession.Outcome.Redirected;
    redirects = 0;
    // A scheduler that welcomes the agent only to hang up is not asked ten times a second.
    if (outcome instanceof SchedulerSession.Outcome.Ended ended
        && ended.welcomed()
        && lasted.compareTo(LONGEST_WAIT) >= 0) {
      backoff.reset();
      electing.reset();
    }
    turn++;
    if (replica(turn).equals(address)) {
      // Not the one that has just failed us, if there is another.
      turn++;
    }
    address = replica(turn);
    return (isElecting ? electing : backoff).next();
  }

  private URI replica(int index) {
    return schedulers.get(index % schedulers.size());
  }

  /// The leader's address in the outcome; empty: there is none, or it is no address.
  private static Optional<URI> leaderOf(SchedulerSession.Outcome outcome, URI from) {
    if (!(outcome instanceof SchedulerSession.Outcome.Redirected(String leader))
        || leader.isEmpty()) {
      return Optional.empty();
    }
    try {
      URI address = new URI(from.getScheme() + "://" + leader).parseServerAuthority();
      return Optional.of(address).filter(uri -> uri.getHost() != null);
    } catch (URISyntaxException e) {
      LOG.warn("{} names '{}' as the leader's address, which is not an address", from, leader);
      return Optional.empty();
    }
  }
}
