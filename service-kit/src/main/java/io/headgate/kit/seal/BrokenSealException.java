package io.headgate.kit.seal;

/// One sealed value does not open: it was changed, moved from another place, or its data key is
/// gone. Other values are not affected. The message names the place.
public final class BrokenSealException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  BrokenSealException(SealedPlace place, String why) {
    super(place + " cannot be decrypted: " + why);
  }
}
