package io.headgate.deploy.grafana;

import java.util.Map;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/// Writes maps, lists, texts and numbers as YAML, one value a line.
final class Yaml {
  /// Keeps each text on its line.
  private static final int WIDTH = 100_000;

  private Yaml() {}

  static String dump(Map<String, Object> document) {
    DumpSettings settings =
        DumpSettings.builder()
            .setDefaultFlowStyle(FlowStyle.BLOCK)
            .setWidth(WIDTH)
            .setIndent(2)
            .setDereferenceAliases(true)
            .build();
    return new Dump(settings).dumpToString(document);
  }
}
