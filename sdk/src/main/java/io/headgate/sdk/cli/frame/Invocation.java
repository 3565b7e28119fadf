package io.headgate.sdk.cli.frame;

import io.headgate.sdk.cli.context.ContextStore;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Symbols;
import io.headgate.sdk.cli.output.TextColors;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.DurationText;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.wire.ConnectionListener;
import io.headgate.type.NearestName;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One run of one command: its environment, its flags and their meaning, and the session, which
/// opens on first use.
public final class Invocation implements AutoCloseable {
  private final CliEnvironment environment;
  private final GlobalOptions global;
  private final Output output;
  private final OutputForm form;
  private @Nullable Session session;
  private volatile boolean areNotesMuted;

  /// A run of the command.
  public Invocation(CliEnvironment environment, CliCommand command) {
    this(environment, command.global(), command.outputForms());
  }

  /// A run of a command that has the forms of lists.
  public Invocation(CliEnvironment environment, GlobalOptions global) {
    this(environment, global, List.of());
  }

  private Invocation(CliEnvironment environment, GlobalOptions global, List<String> forms) {
    this.environment = environment;
    this.global = global;
    this.form = form(environment, global, forms);
    this.output = output(environment, global);
  }

  private static OutputForm form(
      CliEnvironment environment, GlobalOptions global, List<String> own) {
    if (!own.isEmpty()) {
      // The variable is meant for lists.
      return global.output == null ? OutputForm.DEFAULT : OutputForm.parse(global.output, own);
    }
    String text = global.output != null ? global.output : environment.variable("HEADGATE_OUTPUT");
    return text.isEmpty() ? OutputForm.DEFAULT : OutputForm.parse(text);
  }

  private static Output output(CliEnvironment environment, GlobalOptions global) {
    TextColors.When when = word("--color", global.color, TextColors.When.AUTO);
    TimeText.Form times = word("--time", global.time, TimeText.Form.RELATIVE);
    return new Output(
        environment.out(),
        environment.err(),
        environment.outTerminal(),
        environment.width(),
        TextColors.decide(when, environment.variables(), environment.outTerminal()),
        TextColors.decide(when, environment.variables(), environment.errTerminal()),
        Symbols.decide(environment.variables()),
        new TimeText(times, environment.clock(), environment.zone()),
        global.quiet);
  }

  private static <E extends Enum<E>> E word(String flag, @Nullable String text, E fallback) {
    if (text == null) {
      return fallback;
    }
    List<String> words =
        Arrays.stream(fallback.getDeclaringClass().getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toList();
    int index = words.indexOf(text);
    if (index < 0) {
      throw new UsageException(
          "\"%s\" is not a value of %s".formatted(text, flag),
          "BAD_FLAG_VALUE",
          NearestName.suggestion(text, words).orElse("values: " + String.join(", ", words)));
    }
    return fallback.getDeclaringClass().getEnumConstants()[index];
  }

  public CliEnvironment environment() {
    return environment;
  }

  public GlobalOptions global() {
    return global;
  }

  public Output output() {
    return output;
  }

  public OutputForm form() {
    return form;
  }

  public ContextStore contexts() {
    return ContextStore.of(environment.variables());
  }

  /// The session with the server that flags, variables and the context select.
  public Session session() {
    Session open = session;
    if (open == null) {
      open = new ConnectionSettings(this).open();
      session = open;
    }
    return open;
  }

  /// Opens the session with a known server. Flags, variables and the context choose nothing then.
  ///
  /// @param tenant the session's tenant
  /// @param keyFrom source of the key, for messages
  public void connect(ClientConfig config, String tenant, String keyFrom) {
    if (session != null) {
      throw new IllegalStateException("the session is open already");
    }
    session =
        new Session(config, tenant, keyFrom, ConnectionListener.NONE, environment().variables());
  }

  /// From now on nothing is said about the connection: the command has the whole screen.
  public void muteNotes(boolean muted) {
    areNotesMuted = muted;
  }

  boolean areNotesMuted() {
    return areNotesMuted;
  }

  /// The session, if the command opened one.
  public Optional<Session> openSession() {
    return Optional.ofNullable(session);
  }

  /// The deadline of calls, if the user set one.
  public Optional<Duration> timeout() {
    return Optional.ofNullable(global.timeout).map(text -> duration("--timeout", text));
  }

  /// Parses the duration of a flag.
  public static Duration duration(String flag, String text) {
    return DurationText.parse(text)
        .orElseThrow(() ->
            new UsageException(
                "\"%s\" is not a duration for %s".formatted(text, flag),
                "BAD_FLAG_VALUE",
                "write for example 30s, 5m or 2h"));
  }

  /// Whether the command may ask questions: a terminal is there and `--no-input` is not given.
  public boolean mayAsk() {
    return environment.inTerminal()
        && environment.errTerminal()
        && !global.noInput
        && environment.variable("HEADGATE_NO_INPUT").isEmpty()
        && environment.variable("CI").isEmpty();
  }

  public boolean debug() {
    return global.debug || !environment.variable("HEADGATE_DEBUG").isEmpty();
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
    }
  }
}
