package io.headgate.scheduler.runtime.agent;

import io.headgate.kit.seal.KeyMissingException;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends committed orders to agents, in the order of the decisions, so that no agent hears of a
/// stop before the start. Confined to one thread.
public final class Dispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private static final DraftCause NO_SPECIFICATION =
      new DraftCause(
          "NO_SPECIFICATION",
          "its specification is not stored or cannot be decrypted; submit it again");

  private final Ports ports;
  private final Consumer<Dispatch.Run> undelivered;
  private final BiConsumer<Dispatch.Run, Optional<DraftCause>> barred;
  private final Map<NodeId, AgentSession> sessions = new HashMap<>();
  private final List<Dispatch.Run> locked = new ArrayList<>();

  /// The dispatcher's dependencies.
  ///
  /// @param assigned runs after each assignment that was sent to an agent
  /// @param asked extracts the parts of a job's document that vaults restrict
  public record Ports(
      Runnable assigned,
      JobReader reader,
      Function<Document, VaultRules.Asked> asked,
      Failpoint.Handler failpoints) {}

  /// @param undelivered receives assignments whose node has no stream
  /// @param barred receives assignments that must not be sent, each with the reason that makes its
  ///   job a draft. Without a reason the vaults' rules are unknown, and the job is queued again
  public Dispatcher(
      Ports ports,
      Consumer<Dispatch.Run> undelivered,
      BiConsumer<Dispatch.Run, Optional<DraftCause>> barred) {
    this.ports = ports;
    this.undelivered = undelivered;
    this.barred = barred;
  }

  public void carryOut(List<Dispatch> dispatches) {
    Set<JobId> lockedJobs = new HashSet<>();
    Map<JobId, Document> documents = documents(dispatches, lockedJobs);
    boolean acknowledging = false;
    for (Dispatch dispatch : dispatches) {
      if (dispatch instanceof Dispatch.Acknowledge && !acknowledging) {
        acknowledging = true;
      }
      switch (dispatch) {
        case Dispatch.Open(AgentSession session, var welcome) -> {
          sessions.put(session.node(), session);
          session.send(welcome);
        }
        case Dispatch.Shut(AgentSession session) -> sessions.remove(session.node(), session);
        case Dispatch.Say(NodeId node, AgentCommand command) -> {
          AgentSession session = sessions.get(node);
          if (session != null) {
            session.send(command);
          }
        }
        case Dispatch.Run run -> run(run, documents, lockedJobs);
        case Dispatch.Acknowledge _ -> {
          // Last, below: an agent that hears of nothing else hears of this.
        }
      }
    }
    if (acknowledging) {
      ports.failpoints().at(Failpoint.AFTER_SEND_BEFORE_ACKNOWLEDGE);
      acknowledge(dispatches);
    }
  }

  private void acknowledge(List<Dispatch> dispatches) {
    // The last of a session says it all. In order of appearance, the same at every run.
    Map<AgentSession, Long> highest = new LinkedHashMap<>();
    for (Dispatch dispatch : dispatches) {
      if (dispatch instanceof Dispatch.Acknowledge(AgentSession session, long sequence)) {
        highest.merge(session, sequence, Math::max);
      }
    }
    highest.forEach((session, sequence) -> session.send(new AgentCommand.Acknowledge(sequence)));
  }

  private void run(Dispatch.Run run, Map<JobId, Document> documents, Set<JobId> lockedJobs) {
    AgentSession session = sessions.get(run.node());
    if (session == null) {
      undelivered.accept(run);
      return;
    }
    if (run.vaults().isEmpty()) {
      barred.accept(run, Optional.empty());
      return;
    }
    JobId job = run.key().attempt().job();
    Optional<Document> document = run.known().or(() -> Optional.ofNullable(documents.get(job)));
    if (document.isEmpty() && lockedJobs.contains(job)) {
      locked.add(run);
      return;
    }
    if (document.isEmpty()) {
      LOG.error(
          "job {} cannot start: its specification is not stored or cannot be decrypted",
          run.command().metadata().name());
      barred.accept(run, Optional.of(NO_SPECIFICATION));
      return;
    }
    // The vaults are checked at submission and again here, because they may have changed since.
    VaultRules vaults = run.vaults().get();
    Optional<VaultRules.Violation> violation =
        vaults.isEmpty() ? Optional.empty() : vaults.violation(ports.asked().apply(document.get()));
    if (violation.isPresent()) {
      barred.accept(run, violation.map(VaultRules.Violation::draft));
      return;
    }
    session.send(run.command().with(vaults.environment(), document.get()));
    ports.assigned().run();
  }

  /// The assignments since the last call that wait for a key: this process cannot read their
  /// documents now. The leader queues their jobs again later.
  public List<Dispatch.Run> takeLocked() {
    List<Dispatch.Run> taken = List.copyOf(locked);
    locked.clear();
    return taken;
  }

  private Map<JobId, Document> documents(List<Dispatch> dispatches, Set<JobId> lockedJobs) {
    Set<JobId> wanted = new LinkedHashSet<>();
    Set<NodeId> opening = new HashSet<>();
    for (Dispatch dispatch : dispatches) {
      if (dispatch instanceof Dispatch.Run run
          && run.known().isEmpty()
          && (sessions.containsKey(run.node()) || opening.contains(run.node()))) {
        wanted.add(run.key().attempt().job());
      } else if (dispatch instanceof Dispatch.Open(AgentSession session, var _)) {
        // The assignments of a new stream follow its Open in the same list.
        opening.add(session.node());
      }
    }
    return wanted.isEmpty() ? Map.of() : read(wanted, lockedJobs);
  }

  private Map<JobId, Document> read(Set<JobId> wanted, Set<JobId> lockedJobs) {
    try {
      return ports.reader().documents(wanted);
    } catch (KeyMissingException e) {
      if (wanted.size() == 1) {
        LOG.warn("a job cannot start now, and is queued again: {}", e.getMessage());
        lockedJobs.addAll(wanted);
        return Map.of();
      }
    }
    // The key of one document does not hold up the others.
    Map<JobId, Document> found = new HashMap<>();
    wanted.forEach(job -> found.putAll(read(Set.of(job), lockedJobs)));
    return found;
  }

  /// No session gets anything more from this leader.
  public void shut(String leaderAddress) {
    sessions.values().forEach(session -> session.endNotLeader(leaderAddress));
    sessions.clear();
  }
}
