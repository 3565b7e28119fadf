package io.headgate.sdk.cli.output;

import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/// Converts JSON to YAML.
public final class YamlOfJson {
  private static final int MAX_CHARACTERS = 64 << 20;

  private YamlOfJson() {}

  /// The same data as YAML, with a line end.
  public static String of(String json) {
    Object tree =
        new Load(LoadSettings.builder().setCodePointLimit(MAX_CHARACTERS).build())
            .loadFromString(json);
    DumpSettings settings =
        DumpSettings.builder()
            .setDefaultFlowStyle(FlowStyle.BLOCK)
            .setUseUnicodeEncoding(true)
            .setWidth(10_000) // Lines are not folded, so that each value stays on one line.
            .build();
    return new Dump(settings).dumpToString(tree);
  }
}
