package io.headgate.type;

/// How an image may be called.
public final class ImageName {
  private static final int MAX_LENGTH = 512;

  /// The first part has a dot, or is `localhost`: nothing that a tool for images takes for a path
  /// of its machine (`dir:…`, `oci-archive:…`) or for an option is of that form, and no machine
  /// takes the image from elsewhere.
  private static final String FORM =
      "(localhost|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+)(:[0-9]{1,5})?"
          + "(/[a-z0-9]+((\\.|_{1,2}|-+)[a-z0-9]+)*)+"
          + "(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?";

  private ImageName() {}

  /// Whether it names an image of a registry: `registry.example/team/train:1.2`.
  public static boolean isValid(String name) {
    return name.length() <= MAX_LENGTH && name.matches(FORM);
  }
}
