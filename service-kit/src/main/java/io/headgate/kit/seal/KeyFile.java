package io.headgate.kit.seal;

import io.headgate.kit.file.SecretFile;
import io.headgate.kit.lifecycle.CannotStartException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/// The file of a service's key-encryption keys, one a line in base64. The first is in force, or
/// comes into force at the next rotation; the others only decrypt. Only its owner may read it.
/// Thread-safe.
public final class KeyFile {
  /// Name of the file in the directory of secrets.
  public static final String NAME = "key-encryption-key";

  private final SecretFile file;

  /// @param directory of secrets; created with the first key
  public KeyFile(Path directory) {
    this.file = new SecretFile(directory.resolve(NAME));
  }

  public Path path() {
    return file.path();
  }

  /// The keys in the order of the file; none if the file is absent.
  ///
  /// @throws CannotStartException if the file is damaged or others may read it
  public List<EncryptionKey> read() {
    return file.read().map(this::parsed).orElse(List.of());
  }

  /// The keys in the order of the file. Creates a file with one key if it is absent.
  ///
  /// @throws CannotStartException if the file is there and has no key
  public List<EncryptionKey> readOrCreate() {
    List<EncryptionKey> keys = read();
    if (keys.isEmpty()) {
      keys = parsed(file.writeIfAbsent(EncryptionKey.random().reveal()));
    }
    if (keys.isEmpty()) {
      throw new CannotStartException(
          path() + " is empty: put the file back that belongs to the database");
    }
    return keys;
  }

  /// Whether the file is there, with keys or without.
  public boolean exists() {
    return file.read().isPresent();
  }

  /// Replaces the keys.
  public void write(List<EncryptionKey> keys) {
    file.write(keys.stream().map(EncryptionKey::reveal).collect(Collectors.joining("\n")));
  }

  private List<EncryptionKey> parsed(String text) {
    return text.lines().filter(line -> !line.isBlank()).map(this::key).toList();
  }

  private EncryptionKey key(String line) {
    return EncryptionKey.parse(line.strip())
        .orElseThrow(() ->
            new CannotStartException(
                path()
                    + " has a line that does not hold "
                    + AesKey.BYTES
                    + " bytes in base64: put the file back that belongs to the database"));
  }
}
