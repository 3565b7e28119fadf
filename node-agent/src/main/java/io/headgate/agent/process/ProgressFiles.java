package io.headgate.agent.process;

import io.headgate.agent.core.JobEnvironment;
import io.headgate.agent.core.JobProgress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The two files in which a program tells of itself. They are the job's, so nothing of them is
/// believed: one look costs three opened files and little more than a page, and follows nothing out
/// of the attempt's directory. Values of a vault are masked as in output.
///
/// The first line of one file gives the progress: `0.4`, `400/1000`, `400/1000 epoch 3`. A write to
/// the other file reports a checkpoint, whatever its content.
public final class ProgressFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ProgressFiles.class);
  private static final int MAX_BYTES = 512;
  private static final int MAX_MESSAGE = 100;
  private static final double STEPS = 10_000;
  private static final String NUMBER = "(\\d{1,15}(?:\\.\\d{1,15})?)";
  private static final Pattern LINE =
      Pattern.compile("\\s*" + NUMBER + "(?:/" + NUMBER + ")?(?:\\s+(.*))?");

  private ProgressFiles() {}

  /// Reads the files as they are now; values that make no sense are left out.
  ///
  /// @param attempt the attempt's directory
  public static JobProgress.Said read(Path attempt) throws IOException {
    try (PinnedDirectory directory = PinnedDirectory.open(attempt)) {
      long checkpoint =
          head(directory, JobEnvironment.CHECKPOINTED, 0)
              .map(head -> head.changed().to(TimeUnit.NANOSECONDS))
              .orElse(0L);
      Optional<PinnedDirectory.Head> progress = head(directory, JobEnvironment.PROGRESS, MAX_BYTES);
      Optional<JobProgress.Said> said = Optional.empty();
      if (progress.isPresent()) {
        String text = progress.get().text();
        boolean isCut = text.getBytes(StandardCharsets.UTF_8).length >= MAX_BYTES;
        // Before anything else is left out of the text: a value is found as it is only.
        said = parse(SupervisorSpec.mask(attempt).apply(text, isCut), checkpoint);
      }
      return said.orElseGet(() -> new JobProgress.Said(OptionalDouble.empty(), "", checkpoint));
    }
  }

  private static Optional<PinnedDirectory.Head> head(
      PinnedDirectory directory, String name, int mostBytes) {
    try {
      return Optional.of(directory.head("work/" + name, mostBytes));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      LOG.debug("{}", e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<JobProgress.Said> parse(String text, long checkpoint) {
    Matcher line = LINE.matcher(text.lines().findFirst().orElse(""));
    if (!line.matches()) {
      return Optional.empty();
    }
    double whole = line.group(2) == null ? 1 : Double.parseDouble(line.group(2));
    double fraction = Double.parseDouble(line.group(1)) / whole;
    // Also of nothing in nothing, which is no number.
    if (!(fraction >= 0 && fraction <= 1)) {
      return Optional.empty();
    }
    String message = line.group(3) == null ? "" : clean(line.group(3));
    // In steps, so that a program that advances by little is not news all the time.
    OptionalDouble done = OptionalDouble.of(Math.floor(fraction * STEPS) / STEPS);
    return Optional.of(new JobProgress.Said(done, message, checkpoint));
  }

  /// The message without characters that would affect a terminal.
  private static String clean(String message) {
    return message
        .codePoints()
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? ' ' : c)
        .limit(MAX_MESSAGE)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString()
        .strip();
  }
}
