package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Asks the user at the terminal.
public record Prompt(Invocation invocation) {
  private static final int LONGEST_ANSWER = 4096;

  /// Reads one line, without its end.
  public String ask(String question) throws IOException {
    invocation.environment().err().print(question);
    invocation.environment().err().flush();
    return line(invocation.environment().in());
  }

  /// Whether the user at the terminal answers yes to the question, or said `--yes`.
  ///
  /// @param what must be confirmed, for the refusal without a terminal: `the approval of gpu-03`
  /// @param act without a question, in that refusal: `approve`
  public boolean confirms(String question, String what, String act) {
    if (invocation.global().yes) {
      return true;
    }
    if (!invocation.mayAsk()) {
      throw new UsageException(
          what + " must be confirmed, and there is no terminal to ask",
          "INPUT_NEEDED",
          "to " + act + " without a question: --yes");
    }
    try {
      return ask(question + " (y/N) ").equalsIgnoreCase("y");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads one line without echo where the terminal allows it.
  public String askSecret(String question) throws IOException {
    Optional<Console> console = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    if (console.isEmpty()) {
      return ask(question);
    }
    char[] secret = console.get().readPassword("%s", question);
    return secret == null ? "" : new String(secret).strip();
  }

  public static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    byte[] bytes = new byte[LONGEST_ANSWER];
    int length = 0;
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      if (length == bytes.length) {
        throw new IOException("the answer is longer than " + LONGEST_ANSWER + " bytes");
      }
      bytes[length++] = (byte) next;
    }
    return line.append(new String(bytes, 0, length, StandardCharsets.UTF_8)).toString().strip();
  }
}
