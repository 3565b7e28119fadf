package io.headgate.kit.db;

import io.headgate.kit.db.KeyRotation.Renewable;
import io.headgate.kit.db.KeyRotation.Rotated;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.seal.KeyFile;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jooq.DSLContext;

/// The commands of an operator for the key-encryption key of a service. Each method returns a
/// sentence for the operator.
public final class EncryptionKeyCommands {
  private final DatabaseConfig database;
  private final KeyFile file;
  private final List<Renewable> renewable;
  private final Consumer<DSLContext> afterReplacement;

  /// @param secrets directory of the service's secrets
  /// @param renewable rows that the service makes anew if they cannot be decrypted
  /// @param afterReplacement removes whatever else depends on a lost key, in the transaction of the
  ///   replacement
  public EncryptionKeyCommands(
      DatabaseConfig database,
      Path secrets,
      List<Renewable> renewable,
      Consumer<DSLContext> afterReplacement) {
    this.database = database;
    this.file = new KeyFile(secrets);
    this.renewable = List.copyOf(renewable);
    this.afterReplacement = afterReplacement;
  }

  /// Adds the three commands to the process of a service.
  ///
  /// @param commands for the configuration of the process
  /// @return the process
  public static <C extends Record> ServiceProcess<C> addTo(
      ServiceProcess<C> process, Function<C, EncryptionKeyCommands> commands) {
    return process
        .command(
            "--prepare-encryption-key",
            0,
            (config, _, terminal) -> terminal.println(commands.apply(config).prepare()))
        .command(
            "--rotate-encryption-key",
            0,
            (config, _, terminal) -> terminal.println(commands.apply(config).rotate()))
        .command(
            "--replace-encryption-key",
            0,
            (config, _, terminal) -> terminal.println(commands.apply(config).replace()));
  }

  /// Puts a new key into the file; it is not in force yet.
  public String prepare() {
    String key = with(opened -> new KeyRotation(opened, file).prepare());
    return "%s begins with the new key %s, which is not in force yet: copy the file to each machine that runs this service, then run --rotate-encryption-key on one"
        .formatted(file.path(), key);
  }

  /// Puts the prepared key into force, and prepares one if there is none.
  public String rotate() {
    Rotated rotated = with(opened -> new KeyRotation(opened, file).rotate());
    return "the key-encryption key %s is in force and encrypts %d data key(s); the other keys in %s open backups from before: keep a copy of the file with those, then remove all lines but the first"
        .formatted(rotated.key(), rotated.dataKeys(), file.path());
  }

  /// Gives up all values whose key is lost. The service must not run.
  public String replace() {
    int lost = with(opened -> new KeyRotation(opened, file).replace(renewable, afterReplacement));
    return "gave up %d data key(s) of the schema %s; values that they sealed stay unreadable, and new ones are sealed with the key in %s"
        .formatted(lost, database.schema(), file.path());
  }

  private <T> T with(Function<Database, T> work) {
    try (Database opened = Database.open(database.withMaxConnections(2))) {
      return work.apply(opened);
    }
  }
}
