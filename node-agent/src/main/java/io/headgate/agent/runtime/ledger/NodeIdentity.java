package io.headgate.agent.runtime.ledger;

import io.headgate.agent.process.DurableFile;
import io.headgate.kit.config.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/// The identity that this node received when it joined; on disk, readable by its owner only.
///
/// @param node its resource name
/// @param pool id of its pool
/// @param key its credential for tokens
/// @param migAuto the pool's latest MIG setting
public record NodeIdentity(String node, String pool, Secret key, boolean migAuto) {
  private static final String FILE = "identity";
  private static final String MIG = "mig_auto";

  /// The identity kept in the data directory; empty for a machine that has not joined yet.
  public static Optional<NodeIdentity> load(Path data) throws IOException {
    String text;
    try {
      text = Files.readString(data.resolve(FILE), StandardCharsets.UTF_8);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
    try {
      Fields fields = Fields.ofLines(text);
      return Optional.of(
          new NodeIdentity(
              fields.require("node"),
              fields.require("pool"),
              Secret.of(fields.require("key")),
              fields.find(MIG).map(Boolean::parseBoolean).orElse(false)));
    } catch (Fields.DamagedException e) {
      throw new IOException(
          data.resolve(FILE)
              + " is damaged: "
              + e.getMessage()
              + "; delete it and let the node join again",
          e);
    }
  }

  /// The same of a pool that says otherwise.
  public NodeIdentity withMigAuto(boolean said) {
    return new NodeIdentity(node, pool, key, said);
  }

  public void save(Path data) throws IOException {
    Fields fields =
        new Fields().put("node", node).put("pool", pool).put("key", key.reveal()).put(MIG, migAuto);
    DurableFile.replace(data.resolve(FILE), fields.toLines().getBytes(StandardCharsets.UTF_8));
  }
}
