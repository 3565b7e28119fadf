package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.config.ConfigurationWriter;
import io.headgate.sdk.config.FileUpdate;
import io.headgate.sdk.config.FileUpdate.Updated;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/// A person's configuration file that an export brings up to date.
record ExportFile(Path file) {
  /// Edits the file, or makes it if it is absent. It is replaced at once, so that no half of it is
  /// ever there.
  ///
  /// @return what was done, in one line
  String bring(Configuration inForce) throws IOException, ConfigurationException {
    if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.writeString(file, ConfigurationWriter.write(inForce));
      return file + " is new: it states the configuration in force";
    }
    Path target = file.toRealPath();
    Configuration present = ConfigurationReader.read(file).configuration();
    String tenant = present.tenant();
    if (tenant != null && !tenant.equals(inForce.tenant())) {
      throw new UsageException(
          "%s is for tenant %s, not for tenant %s".formatted(file, tenant, inForce.tenant()),
          "TENANT_DIFFERS",
          "name the tenant: headgate export -t %s --into %s".formatted(tenant, file));
    }
    Updated updated =
        FileUpdate.of(file.toString(), Files.readString(target), inForce)
            .orElseThrow(() ->
                new UsageException(
                    file + " cannot be edited: it is JSON, or uses anchors (&name, *name)",
                    "CANNOT_EDIT_FILE",
                    "write it anew, without its comments: headgate export > " + file));
    if (updated.places() == 0) {
      return file + " states the configuration in force already";
    }
    replace(target, updated.text());
    return "%s is up to date: edited in %s, all else stayed"
        .formatted(file, updated.places() == 1 ? "1 place" : updated.places() + " places");
  }

  private static void replace(Path target, String text) throws IOException {
    Set<PosixFilePermission> rights = Files.getPosixFilePermissions(target);
    Path fresh = Files.createTempFile(target.toAbsolutePath().getParent(), "export", ".tmp");
    try {
      Files.writeString(fresh, text);
      Files.setPosixFilePermissions(fresh, rights);
      Files.move(
          fresh, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }
}
