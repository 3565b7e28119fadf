package io.headgate.deploy.simulate;

import io.headgate.deploy.simulate.KeyedLines.KeyedLine;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ErrorRenderer;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.TextColors;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.config.ScenarioReader;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `headgate simulate --many`: the scenarios of a file one after the other, each in a simulation of
/// its own. Every line of output begins with the key of its scenario and a tab.
final class ManyScenarios {
  /// Refusals stand in JSON strings, which have neither colors nor a width.
  private static final ErrorRenderer ERRORS = new ErrorRenderer(new TextColors(false), 0);

  /// Lines are written together, because a write costs as much as a line.
  private static final int WRITTEN_CHARACTERS = 1 << 16;

  private final Output output;
  private final @Nullable Duration until;
  private final StringBuilder unwritten = new StringBuilder();

  /// @param until end of each simulation, which overrides the scenario's; null: as in the scenario
  ManyScenarios(Output output, @Nullable Duration until) {
    this.output = output;
    this.until = until;
  }

  /// Runs them until the input ends or the output is closed.
  ///
  /// @param name how messages call the input
  int run(String name, InputStream in) throws IOException {
    KeyedLines lines = new KeyedLines(name, in);
    long scenarios = 0;
    long refused = 0;
    KeyedLine line = lines.next();
    while (line != null && !output.isClosed()) {
      scenarios++;
      if (!simulate(line)) {
        refused++;
      }
      write();
      line = lines.next();
    }
    output.note(
        refused == 0
            ? EnglishText.count(scenarios, "scenario")
            : "%s, %d refused".formatted(EnglishText.count(scenarios, "scenario"), refused));
    return refused == 0 ? ExitCode.DONE : ExitCode.REFUSED;
  }

  private boolean simulate(KeyedLine line) {
    String begin = line.key() + "\t";
    CliFailure failure;
    try {
      if (line.refusal() != null) {
        throw line.refusal();
      }
      SimulateCommand.simulate(
          ScenarioMapper.map(ScenarioReader.read(line.key(), line.text()), until),
          each -> print(begin, each));
      return true;
    } catch (ConfigurationException e) {
      failure = ErrorFrames.of(e, "Nothing was simulated.");
    } catch (UsageException e) {
      failure = ErrorFrames.of(e);
    } catch (RuntimeException e) {
      // A fault in one simulation leaves the others as they are.
      failure = ErrorFrames.ofFault(e);
    }
    print(begin, JsonText.of(Map.of("error", String.join("\n", ERRORS.lines(failure)))));
    return false;
  }

  private void print(String begin, String line) {
    unwritten.append(begin).append(line).append('\n');
    if (unwritten.length() >= WRITTEN_CHARACTERS) {
      write();
    }
  }

  private void write() {
    output.text(unwritten.toString());
    unwritten.setLength(0);
  }
}
