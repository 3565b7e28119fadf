package io.headgate.kit.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.kit.file.SecretFile;
import io.headgate.kit.lifecycle.CannotStartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileTest {
  private static final int SERVICE = 4321;

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

  @Test
  void aLinkToTheFileStaysALink() throws Exception {
    Path mounted = Files.createDirectories(directory.resolve("mounted"));
    KeyFile there = new KeyFile(mounted);
    there.readOrCreate();
    Files.createDirectories(file().path().getParent());
    Files.createSymbolicLink(file().path(), there.path());
    EncryptionKey next = EncryptionKey.random();
    file().write(List.of(next));
    assertThat(file().path()).isSymbolicLink();
    assertThat(there.read()).extracting(EncryptionKey::id).containsExactly(next.id());
    try (var files = Files.list(mounted)) {
      assertThat(files).containsExactly(there.path());
    }
  }

  @Test
  void anAdministratorTakesTheFileFromNoService() throws Exception {
    Path secrets = Files.createDirectories(file().path().getParent());
    assumeTrue(Files.getAttribute(secrets, "unix:uid").equals(0), "only root gives files away");
    Files.setAttribute(secrets, "unix:uid", SERVICE);
    Files.setAttribute(secrets, "unix:gid", SERVICE);
    file().readOrCreate();
    assertThat(owners(file().path())).as("a new file").containsExactly(SERVICE, SERVICE);
    file().write(List.of(EncryptionKey.random()));
    assertThat(owners(file().path())).as("a replaced file").containsExactly(SERVICE, SERVICE);
    assertThat(permissions(file().path())).isEqualTo("rw-------");
  }

  @Test
  void anEmptyFileIsNotFilledSilently() throws Exception {
    file().readOrCreate();
    Files.writeString(file().path(), "");
    assertThatThrownBy(() -> file().readOrCreate())
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining("is empty");
  }

  private static List<Object> owners(Path path) throws Exception {
    return List.of(Files.getAttribute(path, "unix:uid"), Files.getAttribute(path, "unix:gid"));
  }

  private static String permissions(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
