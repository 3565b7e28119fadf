package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.LogOptions;
import io.headgate.sdk.client.LogStream;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.model.ServerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `headgate up` as a process of its own, and where its API is. It chooses the port, for one that a
/// test chose could be taken before it comes to it.
///
/// @param screen what it has printed until it was ready
record UpProcess(Process process, String uri, String screen) {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Pattern API = Pattern.compile("^ +API +(http://\\S+)");

  /// The command that starts it.
  ///
  /// @param contexts directory of its context file, so that the file of the tests' user stays as it
  ///   is
  /// @param flags of Java
  static ProcessBuilder command(Path contexts, List<String> flags, String... words)
      throws IOException {
    List<String> all = new ArrayList<>(flags);
    all.add("-XX:+AutoCreateSharedArchive");
    all.add("-XX:SharedArchiveFile=" + Packaged.archive());
    all.add("-Xlog:cds*=off");
    List<String> command = Packaged.UP.java(all.toArray(String[]::new));
    command.add("io.headgate.sdk.cli.HeadgateCli");
    command.addAll(List.of(words));
    command.addAll(List.of("--port", "0"));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("XDG_CONFIG_HOME", contexts.toString());
    return builder;
  }

  /// Started and ready.
  static UpProcess start(ProcessBuilder builder) throws Exception {
    Process process = builder.start();
    return ready(process, process.inputReader(StandardCharsets.UTF_8));
  }

  /// Reads the screen until the next line that says that it is ready: a launcher starts it again.
  static UpProcess ready(Process process, BufferedReader out) throws Exception {
    StringBuilder screen = new StringBuilder();
    String uri = "";
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      screen.append(line).append('\n');
      Matcher api = API.matcher(line);
      if (api.find()) {
        uri = api.group(1);
      }
      if (line.startsWith("Ready in")) {
        return new UpProcess(process, uri, screen.toString());
      }
    }
    throw new IllegalStateException("up ended with " + process.waitFor() + ":\n" + screen);
  }

  /// A client with the operator's key.
  HeadgateClient connect(Path data) throws IOException {
    String key = Files.readString(data.resolve("secrets/admin.key")).strip();
    return HeadgateClient.connect(
        ClientConfig.of(ServerAddress.parse(uri), new Credentials.Key(key)));
  }

  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("up ends").isTrue();
  }

  static String output(HeadgateClient client, String id) {
    StringBuilder text = new StringBuilder();
    try (LogStream log = client.jobs("default").logs(id, LogOptions.ALL)) {
      for (LogPiece piece = log.next(); piece != null; piece = log.next()) {
        text.append(new String(piece.data(), StandardCharsets.UTF_8));
      }
    }
    return text.toString();
  }
}
