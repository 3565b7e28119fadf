package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// Reports a failing scenario: a small file in `target/shrunk` and an error that names it.
final class Shrunk {
  private static final Path DIRECTORY = Path.of("target", "shrunk");
  private static final int PASSES_AT_REST = 5;

  private Shrunk() {}

  /// Checks every decision of a history beside the given check: a twin makes an equal decision, and
  /// passes without news change nothing.
  static Player.Check atRest(History history, Player.Check check) {
    return new Player.Check() {
      private SchedulerCore twin = SchedulerCore.empty(history.placement());

      @Override
      public void decided(Step step, Decision decision, SchedulerCore core) {
        check.decided(step, decision, core);
        requireSame(decision, twin.decide(step.inputs(), step.at()));
        twin = twin.copy();
        requireRest(core.copy(), step);
      }
    };
  }

  static void requireRest(SchedulerCore core, Step step) {
    for (int i = 0; i < PASSES_AT_REST; i++) {
      Decision more = core.decide(List.of(new Input.TimePassed()), step.at());
      require(more.effects().isEmpty(), "five more passes change nothing", more.effects());
      // No effect tells of the places kept for returning jobs (O5).
      require(
          more.holdChanges().stream().allMatch(change -> change.hold().isForBlocked()),
          "five more passes change nothing",
          more.holdChanges());
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

  /// Says which property of a history fails first, when it is played.
  static Shrinker.Oracle oracle(Function<History, Player.Check> check) {
    return oracleOf(history -> Player.play(history, check.apply(history)));
  }

  /// Says which property of a history fails first.
  ///
  /// @param test throws where one does
  static Shrinker.Oracle oracleOf(Consumer<History> test) {
    return history -> {
      try {
        test.accept(history);
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
  /// @param test whose property fails; part of the file's name
  /// @param oracle says what fails
  /// @param failure of the scenario as it was
  static AssertionError error(
      Class<?> test, long seed, History history, Shrinker.Oracle oracle, Throwable failure) {
    Optional<String> property = oracle.apply(history);
    if (property.isEmpty()) {
      return new AssertionError(failure.getMessage() + "\n(not so when played again)", failure);
    }
    History small = Shrinker.shrink(history, oracle);
    Path file = DIRECTORY.resolve(test.getSimpleName() + "-" + seed + ".yaml");
    write(
        file,
        () ->
            ScenarioText.write(
                small,
                List.of(
                    "A scenario of the properties of the core, as small as it fails.",
                    "%s -Dheadgate.seed=%d violates: %s"
                        .formatted(test.getSimpleName(), seed, property.get()))));
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
