package io.headgate.policy.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSealTest {
  @TempDir Path directory;

  @Test
  void opensWhatItSealed() {
    FileSeal seal = FileSeal.open(directory.resolve("a"));
    String sealed = seal.seal("secret", "keys/1");
    assertThat(FileSeal.open(directory.resolve("a")).open(sealed, "keys/1")).isEqualTo("secret");
    assertThat(seal.seal("secret", "keys/1")).isNotEqualTo(sealed);
  }

  @Test
  void whatIsSealedForOnePlaceOpensInNoOther() {
    FileSeal seal = FileSeal.open(directory.resolve("a"));
    String sealed = seal.seal("secret", "keys/1");
    assertThatThrownBy(() -> seal.open(sealed, "keys/2"))
        .hasMessageContaining("keys/2 was changed");
  }

  @Test
  void aChangedBitIsNoticed() {
    FileSeal seal = FileSeal.open(directory.resolve("a"));
    byte[] sealed = Base64.getDecoder().decode(seal.seal("secret", "keys/1"));
    sealed[sealed.length - 1] ^= 1;
    String changed = Base64.getEncoder().encodeToString(sealed);
    assertThatThrownBy(() -> seal.open(changed, "keys/1")).hasMessageContaining("was changed");
  }

  @Test
  void anotherKeySaysWhatToDo() {
    String sealed = FileSeal.open(directory.resolve("a")).seal("secret", "keys/1");
    FileSeal other = FileSeal.open(directory.resolve("b"));
    assertThatThrownBy(() -> other.open(sealed, "keys/1"))
        .hasMessageContaining("key-encryption-key")
        .hasMessageContaining("--replace-signing-keys");
  }

  @Test
  void aKeyThatOthersMayReadIsRefused() throws Exception {
    FileSeal.open(directory.resolve("a"));
    Path file = directory.resolve("a").resolve("key-encryption-key");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> FileSeal.open(directory.resolve("a")))
        .hasMessageContaining("chmod 600");
  }

  @Test
  void aDamagedKeyFileIsRefused() throws Exception {
    FileSeal.open(directory.resolve("a"));
    new SecretFile(directory.resolve("a").resolve("key-encryption-key")).write("short");
    assertThatThrownBy(() -> FileSeal.open(directory.resolve("a")))
        .hasMessageContaining("does not hold 32 bytes");
  }
}
