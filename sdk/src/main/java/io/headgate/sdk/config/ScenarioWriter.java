package io.headgate.sdk.config;

import io.headgate.sdk.config.ScenarioFile.DeclaredJob;
import io.headgate.sdk.config.ScenarioFile.DeclaredNode;
import io.headgate.sdk.config.ScenarioFile.Geometry;
import io.headgate.sdk.config.ScenarioFile.Running;
import io.headgate.sdk.config.ScenarioFile.Share;
import io.headgate.sdk.config.ScenarioFile.Waiting;
import io.headgate.sdk.config.ScenarioFile.Worker;
import io.headgate.sdk.config.YamlText.Inline;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes what stands at 0s in the format that [ScenarioReader] reads; one line a node and a job,
/// so that two such files are compared line by line.
public final class ScenarioWriter {
  private ScenarioWriter() {}

  /// The text of a file.
  ///
  /// @param comment said at the top, line by line
  /// @throws IllegalArgumentException when the scenario has events: they are written by hand
  public static String write(ScenarioFile scenario, List<String> comment) {
    if (!scenario.events().isEmpty()) {
      throw new IllegalArgumentException("a written scenario has no events");
    }
    StringBuilder text = new StringBuilder();
    comment.forEach(line -> text.append("# ").append(line).append('\n'));
    YamlText head = new YamlText();
    head.entry("apiVersion", Configuration.API_VERSION);
    head.entry("kind", ScenarioFile.KIND);
    text.append(head).append("\nconfiguration:\n");
    YamlText body = new YamlText();
    if (scenario.configuration().tenant() != null) {
      body.entry("tenant", scenario.configuration().tenant());
    }
    ConfigurationWriter.body(body, scenario.configuration());
    body.toString()
        .lines()
        .forEach(line -> text.append(line.isEmpty() ? "" : "  ").append(line).append('\n'));
    YamlText rest = new YamlText();
    rest.inlineItems("nodes", scenario.nodes(), ScenarioWriter::node);
    rest.inlineItems("running", scenario.running(), ScenarioWriter::running);
    rest.inlineItems("waiting", scenario.waiting(), ScenarioWriter::waiting);
    return text.append('\n').append(rest).toString();
  }

  private static void node(Inline line, DeclaredNode node) {
    line.entry("name", node.name());
    line.unlessDefault("count", node.count(), 1);
    line.entry("pool", node.pool());
    line.entry("gpus", String.valueOf(node.gpus()));
    line.entryOrNothing("gpuModel", node.gpuModel());
    line.entryOrNothing("gpuMemory", bytes(node.gpuMemoryBytes()));
    line.entryOrNothing("cpus", node.cpuMillis() == null ? null : CpuText.format(node.cpuMillis()));
    line.entryOrNothing("memory", bytes(node.memoryBytes()));
    line.unlessDefault("geometry", node.geometry().keyword(), Geometry.CONTINUOUS.keyword());
    line.entryOrNothing("isolation", node.isolation() == null ? null : node.isolation().keyword());
  }

  private static void running(Inline line, Running running) {
    names(line, running.job());
    if (running.workers().size() == 1) {
      worker(line, running.workers().getFirst());
    } else {
      line.items("workers", running.workers(), ScenarioWriter::worker);
    }
    line.entry("startedAgo", DurationText.format(running.startedAgo()));
    line.unlessDefault("attempt", running.attempt(), 1);
    rest(line, running.job());
  }

  private static void waiting(Inline line, Waiting waiting) {
    names(line, waiting.job());
    line.unlessDefault("count", waiting.count(), 1);
    line.entry("waitedSince", DurationText.format(waiting.waitedSince()));
    rest(line, waiting.job());
  }

  private static void worker(Inline line, Worker worker) {
    line.entry("node", worker.node());
    line.items("devices", worker.devices(), ScenarioWriter::share);
  }

  private static void share(Inline line, Share share) {
    line.entry("index", String.valueOf(share.index()));
    line.entry("gpus", share.gpus().toString());
    line.entryOrNothing("slice", share.slice() == null ? null : share.slice().toString());
  }

  private static void names(Inline line, DeclaredJob job) {
    line.entry("queue", job.queue());
    line.entry("job", job.name());
    line.entry("user", job.user());
  }

  private static void rest(Inline line, DeclaredJob job) {
    line.unlessDefault("priority", job.priority(), 0);
    line.entryOrNothing("preemptible", job.preemptible());
    line.unlessDefault("movable", job.movable(), false);
    line.entryOrNothing("maxRuntime", time(job.maxRuntime()));
    line.entryOrNothing("duration", time(job.duration()));
    line.entryOrNothing("checkpoint", time(job.checkpoint()));
  }

  private static @Nullable String bytes(@Nullable Long bytes) {
    return bytes == null ? null : ByteText.format(bytes);
  }

  private static @Nullable String time(@Nullable Duration duration) {
    return duration == null ? null : DurationText.format(duration);
  }
}
