package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// Every dashboard has the types that Grafana publishes for its files: the compiler of TypeScript
/// checks each dashboard, each panel and the options of each panel against `@grafana/schema`.
class DashboardTypesTest {
  private static final String SCHEMA = "@grafana/schema@13.2.3";
  private static final String COMPILER = "typescript@5.9.3";
  private static final int BOUND_SECONDS = 180;

  /// Where the options of each type of panel are defined.
  private static final Map<String, String> OPTIONS =
      new TreeMap<>(
          Map.of(
              "stat", "stat/panelcfg/x/StatPanelCfg",
              "timeseries", "timeseries/panelcfg/x/TimeSeriesPanelCfg",
              "bargauge", "bargauge/panelcfg/x/BarGaugePanelCfg",
              "table", "table/panelcfg/x/TablePanelCfg",
              "heatmap", "heatmap/panelcfg/x/HeatmapPanelCfg",
              "state-timeline", "statetimeline/panelcfg/x/StateTimelinePanelCfg"));

  /// JSON has the values of an enum and not its names. The second type is what the plugin of
  /// Prometheus adds to an annotation.
  private static final String TYPES =
      """
      import type { AnnotationQuery, Dashboard, Panel, RowPanel } from '@grafana/schema';
      type Json<T> = T extends string ? `${T}`
        : T extends number ? (`${T}` extends `${infer N extends number}` ? N : number)
        : T extends boolean | null | undefined ? T
        : T extends (infer E)[] ? Json<E>[]
        : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
      type Moment = Json<AnnotationQuery> & {
        target: { refId: string; expr: string; interval: string };
        expr: string; step: string; titleFormat: string; textFormat: string; tagKeys: string;
        useValueForTime: boolean };
      """;

  @TempDir private Path directory;

  @Test
  void everyDashboardHasGrafanasTypes() throws Exception {
    install();
    StringBuilder source = new StringBuilder(TYPES);
    OPTIONS.forEach((type, file) ->
        source.append(
            "import type * as %s from '@grafana/schema/dist/esm/raw/composable/%s_types.gen';\n"
                .formatted(module(type), file)));
    for (Dashboard dashboard : GrafanaFiles.DASHBOARDS) {
      declare(source, DashboardJson.write(dashboard));
    }
    assertThat(compile(source.toString())).isEmpty();
  }

  @Test
  void aWrongOptionIsFound() throws Exception {
    install();
    String source =
        TYPES
            + "import type * as stat from"
            + " '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';\n"
            + "({ colorMode: 'loud' }) satisfies Partial<Json<stat.Options>>;\n"
            + "({ title: 'a', colour: 'b' }) satisfies Json<Dashboard>;\n";
    assertThat(compile(source)).contains("'\"loud\"' is not assignable", "'colour' does not exist");
  }

  private static void declare(StringBuilder source, String json) {
    Map<?, ?> dashboard = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(json);
    Map<Object, Object> frame = new TreeMap<>(dashboard);
    for (Object panel : (List<?>) frame.put("panels", List.of())) {
      declarePanel(source, (Map<?, ?>) panel);
    }
    Map<?, ?> annotations = (Map<?, ?>) frame.put("annotations", Map.of("list", List.of()));
    for (Object annotation : (List<?>) annotations.get("list")) {
      satisfies(source, annotation, "Moment");
    }
    satisfies(source, frame, "Json<Dashboard>");
  }

  private static void declarePanel(StringBuilder source, Map<?, ?> panel) {
    String type = String.valueOf(panel.get("type"));
    if (type.equals("row")) {
      satisfies(source, panel, "Json<RowPanel>");
      return;
    }
    satisfies(source, panel, "Json<Panel>");
    satisfies(source, panel.get("options"), "Json<" + module(type) + ".Options>");
    Map<?, ?> defaults = (Map<?, ?>) ((Map<?, ?>) panel.get("fieldConfig")).get("defaults");
    if (defaults.get("custom") instanceof Map<?, ?> custom) {
      satisfies(source, custom, "Json<" + module(type) + ".FieldConfig>");
    }
  }

  private static void satisfies(StringBuilder source, Object value, String type) {
    source
        .append("(")
        .append(JsonWriter.write(value).strip())
        .append(") satisfies ")
        .append(type)
        .append(";\n");
  }

  private static String module(String type) {
    return type.replace('-', '_');
  }

  private void install() throws Exception {
    boolean isThere;
    try {
      isThere =
          run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", SCHEMA, COMPILER)
              .isEmpty();
    } catch (IOException e) {
      isThere = false;
    }
    Needed.NPX.demand(isThere);
  }

  /// @return the faults; empty: there are none
  private String compile(String source) throws Exception {
    Files.writeString(directory.resolve("dashboards.ts"), source);
    return run(
        "node_modules/.bin/tsc",
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
        "--target",
        "es2022",
        "dashboards.ts");
  }

  /// @return what a program said that failed; empty: it succeeded
  private String run(String... command) throws IOException, InterruptedException {
    Path said = Files.createTempFile(directory, "said", ".txt");
    Process process =
        new ProcessBuilder(Stream.of(command).toList())
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).as(command[0]).isTrue();
      return process.exitValue() == 0 ? "" : command[0] + ": " + Files.readString(said);
    } finally {
      process.destroyForcibly();
    }
  }
}
