package io.headgate.type;

/// The accepted form of image names.
public final class ImageName {
  private static final int MAX_LENGTH = 512;

  /// The first part has a dot or is `localhost`. Image tools take no name of this form for a local
  /// path (`dir:…`, `oci-archive:…`) or for an option, and all machines resolve it to the same
  /// registry.
  private static final String FORM =
      "(localhost|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+)(:[0-9]{1,5})?"
          + "(/[a-z0-9]+((\\.|_{1,2}|-+)[a-z0-9]+)*)+"
          + "(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?";

  private ImageName() {}

  /// Whether the name has the form of an image in a registry: `registry.example/team/train:1.2`.
  public static boolean isValid(String name) {
    return name.length() <= MAX_LENGTH && name.matches(FORM);
  }
}
