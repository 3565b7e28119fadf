package io.headgate.deploy.libraries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// One library of a bill of materials.
///
/// @param name `group:artifact`
/// @param sha256 of its file, in hexadecimal digits; empty: the bill does not say
record Library(String name, LibraryVersion version, String sha256) {

  /// The libraries of a CycloneDX bill in JSON, without the parts of Headgate.
  ///
  /// @throws IOException also when the file is no such bill
  static List<Library> read(Path bill) throws IOException {
    JsonTree document;
    try {
      document = JsonTree.of(Files.readString(bill));
    } catch (IllegalArgumentException e) {
      throw new IOException(bill + " is not a bill of materials: " + e.getMessage(), e);
    }
    if (!document.get("bomFormat").text().equals("CycloneDX")) {
      throw new IOException(bill + " is not a bill of materials in CycloneDX's form");
    }
    List<Library> libraries = new ArrayList<>();
    for (JsonTree component : document.get("components").items()) {
      String group = component.get("group").text();
      if (!group.equals("io.headgate")) {
        libraries.add(
            new Library(
                group + ":" + component.get("name").text(),
                new LibraryVersion(component.get("version").text()),
                sha256(component)));
      }
    }
    return libraries;
  }

  private static String sha256(JsonTree component) {
    return component.get("hashes").items().stream()
        .filter(hash -> hash.get("alg").text().equals("SHA-256"))
        .map(hash -> hash.get("content").text())
        .findFirst()
        .orElse("");
  }
}
