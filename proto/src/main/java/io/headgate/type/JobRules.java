package io.headgate.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The rules of a job's content that machines depend on. The scheduler applies them at submission,
/// and an agent applies the same ones to each assignment: what submission accepts, no agent
/// refuses.
public final class JobRules {
  /// Longest path that Linux takes, in characters.
  public static final int MAX_DIRECTORY_LENGTH = 4096;

  private static final int MAX_SHOWN = 100;

  private JobRules() {}

  /// The parts of a job that machines use.
  ///
  /// @param command program and arguments
  /// @param abortCommand of the abort callback; empty: none
  /// @param environment its own variables
  /// @param workingDirectory empty: a private one
  /// @param image empty: it sees the machine's files
  public record Content(
      List<String> command,
      List<String> abortCommand,
      Map<String, String> environment,
      String workingDirectory,
      Optional<String> image) {}

  /// A broken rule.
  ///
  /// @param field of JobSpec in the contract: `environment[NAME]`
  /// @param message what is wrong, and the remedy
  public record Problem(String field, String message) {
    /// One sentence with the field.
    public String sentence() {
      return field + ": " + message;
    }
  }

  /// The broken rules, in the order of the fields; empty: every machine accepts the job.
  public static List<Problem> problems(Content content) {
    List<Problem> problems = new ArrayList<>();
    if (content.command().isEmpty()) {
      problems.add(new Problem("command", "name a program"));
    }
    words("command", content.command(), problems);
    words("abort_callback.command", content.abortCommand(), problems);
    content.environment().forEach((name, value) -> variable(name, value, problems));
    directory(content.workingDirectory(), problems);
    content.image().ifPresent(image -> image(image, problems));
    return problems;
  }

  private static void words(String field, List<String> words, List<Problem> problems) {
    if (!words.isEmpty() && words.getFirst().isEmpty()) {
      problems.add(new Problem(field + "[0]", "the program has a name"));
    }
    for (int i = 0; i < words.size(); i++) {
      if (hasNul(words.get(i))) {
        problems.add(
            new Problem(field + "[" + i + "]", "no program takes a NUL character: leave it out"));
      }
    }
  }

  private static void variable(String name, String value, List<Problem> problems) {
    String field = "environment[" + shown(name) + "]";
    if (!isVariableName(name)) {
      problems.add(
          new Problem(
              field, "a name has letters, digits and _ only, and does not begin with a digit"));
    }
    if (hasNul(value)) {
      problems.add(new Problem(field, "no value has a NUL character: leave it out"));
    }
  }

  private static boolean isVariableName(String name) {
    boolean good = !name.isEmpty() && !isDigit(name.charAt(0));
    for (int i = 0; good && i < name.length(); i++) {
      char c = name.charAt(i);
      good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
    }
    return good;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /// A line break would end its line in the file that the supervisor reads.
  private static void directory(String directory, List<Problem> problems) {
    String field = "working_directory";
    if (directory.isEmpty()) {
      return;
    }
    String shown = "'" + shown(directory) + "'";
    if (directory.chars().anyMatch(Character::isISOControl)) {
      problems.add(new Problem(field, shown + " has a control character: leave it out"));
    } else if (!directory.startsWith("/")) {
      problems.add(new Problem(field, shown + " is not absolute: begin with /"));
    } else if (List.of(directory.split("/", -1)).contains("..")) {
      problems.add(new Problem(field, shown + " leads upwards: write where it leads to"));
    } else if (directory.length() > MAX_DIRECTORY_LENGTH) {
      problems.add(new Problem(field, "it is longer than " + MAX_DIRECTORY_LENGTH + " characters"));
    }
  }

  private static void image(String image, List<Problem> problems) {
    if (!ImageName.isValid(image)) {
      problems.add(
          new Problem(
              "container.image",
              "'%s' does not name its registry: write registry.example/path/name:tag"
                  .formatted(shown(image))));
    }
  }

  /// The text in a form for one line of a message: short, and without control characters.
  private static String shown(String text) {
    String line = text.replaceAll("\\p{Cntrl}", "\uFFFD");
    return line.length() <= MAX_SHOWN ? line : line.substring(0, MAX_SHOWN) + "…";
  }

  private static boolean hasNul(String text) {
    return text.indexOf('\0') >= 0;
  }
}
