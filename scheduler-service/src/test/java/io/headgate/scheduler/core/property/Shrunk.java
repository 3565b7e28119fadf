package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// What becomes of a failing scenario: a small file in `target/shrunk` and an error that names it.
final class Shrunk {
  private static final Path DIRECTORY = Path.of("target", "shrunk");
  private static final int PASSES_AT_REST = 5;

  private Shrunk() {}

  /// The properties that are held against every scenario, as one check of a history.
  static final class Properties implements Player.Check {
    private static final Catalog NOTHING =
        new Catalog(new TenantId("t"), 0, List.of(), List.of(), List.of(), List.of());

    private final Checker checker = new Checker(new Shadow(NOTHING));
    private SchedulerCore twin;

    Properties(History history) {
      twin = SchedulerCore.empty(history.placement());
    }

    @Override
    public void decided(Step step, Decision decision, SchedulerCore core) {
      checker.check(step.inputs(), decision, core, step.at());
      checker.checkRest(core);
      requireSame(decision, twin.decide(step.inputs(), step.at()));
      twin = twin.copy();
      requireRest(core.copy(), step);
    }
  }

  static void requireRest(SchedulerCore core, Step step) {
    for (int i = 0; i < PASSES_AT_REST; i++) {
      Decision more = core.decide(List.of(new Input.TimePassed()), step.at());
      require(more.effects().isEmpty(), "five more passes change nothing", more.effects());
    }
  }

  static void requireSame(Decision decision, Decision twins) {
    if (decision.effects().equals(twins.effects())
        && decision.refusals().equals(twins.refusals())
        && decision.wakeAt().equals(twins.wakeAt())) {
      return;
    }
    int same = 0;
    while (same < Math.min(decision.effects().size(), twins.effects().size())
        && decision.effects().get(same).equals(twins.effects().get(same))) {
      same++;
    }
    require(
        false,
        "same inputs, same output",
        "after %d effects".formatted(same),
        decision.effects().stream().skip(same).findFirst(),
        twins.effects().stream().skip(same).findFirst(),
        decision.wakeAt(),
        twins.wakeAt());
  }

  /// Says which property of a history fails first.
  static Shrinker.Oracle oracle(Function<History, Player.Check> check) {
    return history -> {
      try {
        Player.play(history, check.apply(history));
        return Optional.empty();
      } catch (Violation e) {
        return Optional.of(e.property());
      } catch (RuntimeException e) {
        return Optional.of(e.getClass().getSimpleName());
      }
    };
  }

  /// Shrinks what failed, writes it, and says where.
  ///
  /// @param failure of the scenario as it was
  static AssertionError error(long seed, History history, Throwable failure) {
    Shrinker.Oracle oracle = oracle(Properties::new);
    Optional<String> property = oracle.apply(history);
    if (property.isEmpty()) {
      return new AssertionError(failure.getMessage() + "\n(not so when played again)", failure);
    }
    History small = Shrinker.shrink(history, oracle);
    Path file = DIRECTORY.resolve("seed-" + seed + ".yaml");
    write(
        file,
        () ->
            ScenarioText.write(
                small,
                List.of(
                    "A scenario of the properties of the core, as small as it fails.",
                    "-Dheadgate.seed=" + seed + " violates: " + property.get())));
    return new AssertionError(
        "%s%n%s: %s, headgate simulate plays it%s"
            .formatted(
                failure.getMessage(),
                property.get(),
                file.toAbsolutePath(),
                small.obedience().isPresent() ? "" : " as far as the format can say it"),
        failure);
  }

  private static void write(Path file, Supplier<String> text) {
    try {
      Files.createDirectories(DIRECTORY);
      Files.writeString(file, text.get(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
