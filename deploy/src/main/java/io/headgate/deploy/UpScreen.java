package io.headgate.deploy;

import io.headgate.deploy.grafana.Observation;
import io.headgate.sdk.cli.output.WrappedText;
import io.headgate.sdk.config.Configuration;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The output of `up`. Thread-safe.
final class UpScreen implements Progress {
  /// Columns before the value of a labelled line.
  private static final int LABEL = 15;

  private final PrintStream out;
  private final int width;
  private final Optional<Observation> observation;
  private final long beganNanos = System.nanoTime();
  private long partBeganNanos = beganNanos;

  /// @param width of the terminal; 0: there is none, and lines are as long as they are
  /// @param observation files for Prometheus and Grafana; empty: none are written
  UpScreen(PrintStream out, int width, Optional<Observation> observation) {
    this.out = out;
    this.width = width;
    this.observation = observation;
  }

  /// @param open whether other machines can reach the installation
  synchronized void title(String host, boolean open) {
    print(
        "Headgate %s: all in one; development defaults: no TLS, on %s%s"
            .formatted(Version.TEXT, host, open ? "" : " only"));
    if (open) {
      print("Keys and output cross the network unencrypted: use a network that you trust.");
    }
    out.println();
  }

  @Override
  public synchronized void begin(String part) {
    partBeganNanos = System.nanoTime();
  }

  @Override
  public synchronized void ready(String part, String detail) {
    out.printf(Locale.ROOT, "  %-12s ready  %5.1f s   %s%n", part, seconds(partBeganNanos), detail);
  }

  /// Prints all addresses and paths, and returns the printed text.
  ///
  /// @param gpus remarks on this machine's GPUs
  synchronized String ready(
      Installation installation, Path directory, UpContext context, List<String> gpus) {
    StringBuilder text = new StringBuilder();
    line(text, "API", installation.uri() + "   gRPC and JSON on one port");
    String metrics = "Metrics";
    for (Map.Entry<String, URI> part : installation.metricsUris().entrySet()) {
      line(text, metrics, part.getValue() + "   " + part.getKey());
      metrics = "";
    }
    if (metrics.isEmpty()) {
      line(
          text, "", "each scrape sends the token in " + InstallationConfig.metricsToken(directory));
    }
    observation.ifPresent(files -> line(text, "Observe", files.command()));
    line(text, "Data", directory.toString());
    line(text, "Context", context.text());
    String label = "GPUs";
    for (String remark : gpus) {
      line(text, label, remark);
      label = "";
    }
    out.println();
    out.print(text);
    out.println();
    out.printf(Locale.ROOT, "Ready in %.1f s.%n", seconds(beganNanos));
    return text.toString();
  }

  /// Suggests the next commands.
  synchronized void next(Configuration inForce) {
    out.println("Next, in another terminal:");
    inForce.policies().stream()
        .flatMap(policy -> policy.queues().stream())
        .findFirst()
        .ifPresentOrElse(
            queue ->
                out.printf("  headgate submit --queue %s --follow -- echo hello%n", queue.name()),
            () -> out.println("  headgate apply -f FILE       create the first queue"));
    out.println("  headgate jobs --all");
    print("Ctrl-C stops everything; running jobs save their work and resume at the next up.");
  }

  synchronized void agentsReady(int connected, int all, boolean simulated) {
    ready(
        "agents",
        connected + " of " + all + " connected" + (simulated ? "; GPUs are SIMULATED" : ""));
  }

  synchronized void goesOn() {
    out.println();
    out.println("Headgate keeps running. In another terminal:");
    out.println("  deploy/headgate jobs --all");
    out.println("  deploy/headgate explain train-1");
    out.println("  deploy/headgate policies");
    print("Ctrl-C stops everything; running jobs save their work and resume at the next up.");
  }

  synchronized void failed(List<String> wrong) {
    out.println();
    out.println("The demo did not go as expected:");
    wrong.forEach(what -> out.println("  " + what));
  }

  synchronized void stopping() {
    out.println();
    out.println("Stopping; running jobs save their work first.");
  }

  synchronized void stopped() {
    out.println("Stopped.");
    out.flush();
  }

  private void print(String text) {
    out.println(WrappedText.of(text, width));
  }

  private void line(StringBuilder text, String label, String value) {
    String shown = label;
    int room = width == 0 ? 0 : Math.max(LABEL, width - LABEL);
    for (String part : WrappedText.of(value, room).split("\n", -1)) {
      text.append(String.format(Locale.ROOT, "  %-12s %s%n", shown, part));
      shown = "";
    }
  }

  private static double seconds(long sinceNanos) {
    return (System.nanoTime() - sinceNanos) / 1e9;
  }
}
