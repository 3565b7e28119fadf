package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The reconciler's treatment of a gang's worker that waits for the other workers.
class StartBarrierRulesTest {
  private static final WorkerAddress ADDRESS = new WorkerAddress("10.0.0.1", 29500);
  private static final Rendezvous RENDEZVOUS =
      new Rendezvous(List.of("10.0.0.1", "10.0.0.2"), 29500, 0, 1, 0);

  private final Assignment assignment = Fixtures.assignment("a", Fixtures.slice(0, "1/2"));
  private Reconciler reconciler = new Reconciler(List.of(Fixtures.device(0)));

  @BeforeEach
  void assign() {
    var _ = reconciler.on(new Input.Assigned(Fixtures.LEADER, assignment, Fixtures.NOW));
  }

  private List<Effect> go() {
    return reconciler.on(
        new Input.GoOrdered(Fixtures.LEADER, assignment.key(), RENDEZVOUS, Fixtures.NOW));
  }

  @Test
  void repeatsTheAddressOfAPreparedWorkerInEveryReport() {
    var _ = reconciler.on(new Input.Prepared(assignment.key(), ADDRESS));
    assertThat(reconciler.reports().getFirst().address()).contains(ADDRESS);
    var _ =
        reconciler.on(new Input.Observed(assignment.key(), Fixtures.running(), Optional.empty()));
    assertThat(reconciler.reports().getFirst().state()).isEqualTo(AttemptState.RUNNING);
    assertThat(reconciler.reports().getFirst().address()).contains(ADDRESS);
  }

  @Test
  void passesAGoOnUntilTheProgramRuns() {
    assertThat(go()).contains(new Effect.Go(assignment, RENDEZVOUS));
    var _ =
        reconciler.on(new Input.Observed(assignment.key(), Fixtures.running(), Optional.empty()));
    assertThat(go()).noneMatch(Effect.Go.class::isInstance);
  }

  @Test
  void saysThatAnUnknownWorkerIsLost() {
    reconciler = new Reconciler(List.of(Fixtures.device(0)));
    assertThat(go())
        .anyMatch(effect ->
            effect instanceof Effect.Report(AttemptReport report)
                && report.end().orElseThrow().reason() == EndReason.LOST);
  }
}
