package io.headgate.kit.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.file.SecretFile;
import io.headgate.kit.lifecycle.CannotStartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileTest {
  @TempDir Path directory;

  private KeyFile file() {
    return new KeyFile(directory.resolve("secrets"));
  }

  @Test
  void onlyItsOwnerReadsIt() throws Exception {
    assertThat(file().read()).isEmpty();
    EncryptionKey made = file().readOrCreate().getFirst();
    assertThat(file().readOrCreate()).extracting(EncryptionKey::id).containsExactly(made.id());
    assertThat(permissions(file().path())).isEqualTo("rw-------");
    assertThat(permissions(directory.resolve("secrets"))).isEqualTo("rwx------");
  }

  @Test
  void keepsTheOrderOfItsKeys() throws Exception {
    List<EncryptionKey> keys = List.of(EncryptionKey.random(), EncryptionKey.random());
    file().write(keys);
    assertThat(file().read())
        .extracting(EncryptionKey::reveal)
        .containsExactlyElementsOf(keys.stream().map(EncryptionKey::reveal).toList());
    assertThat(permissions(file().path())).isEqualTo("rw-------");
  }

  @Test
  void aFileThatOthersMayReadIsRefused() throws Exception {
    file().readOrCreate();
    Files.setPosixFilePermissions(file().path(), PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> file().read())
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining("chmod 600");
  }

  @Test
  void aDamagedFileIsRefusedWithoutShowingIt() {
    String good = EncryptionKey.random().reveal();
    file().readOrCreate();
    new SecretFile(file().path()).write(good + "\nshort");
    assertThatThrownBy(() -> file().read())
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining("does not hold 32 bytes")
        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(good, "short"));
  }

  private static String permissions(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
