package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.context.Context;
import io.headgate.sdk.cli.context.ContextStore;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Installations on one machine do not overwrite each other's context.
class UpContextTest {
  @TempDir Path directory;
  private ContextStore store;

  @BeforeEach
  void usual() throws IOException {
    store = new ContextStore(directory.resolve("config.yaml"));
    write("http://127.0.0.1:7400");
  }

  private UpContext write(String uri) throws IOException {
    return UpContext.write(store, null, URI.create(uri), "acme", "hg_op_key");
  }

  @Test
  void atAnotherPortItHasAnotherName() throws IOException {
    UpContext other = write("http://127.0.0.1:7500");

    assertThat(other.text())
        .startsWith("\"local-7500\", tenant acme: ")
        .endsWith("config.yaml, selected instead of \"local\"");
    assertThat(store.load().all()).extracting(Context::name).containsExactly("local", "local-7500");
    assertThat(store.load().current()).isEqualTo("local-7500");
  }

  @Test
  void oneThatKeepsNothingLeavesNone() throws IOException {
    write("http://127.0.0.1:7500").remove();

    assertThat(store.load().all()).extracting(Context::name).containsExactly("local");
    assertThat(store.load().current()).isEqualTo("local");
  }
}
