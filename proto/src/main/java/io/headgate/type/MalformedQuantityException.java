package io.headgate.type;

/// The text is not a GPU quantity at all; [#getMessage] shows a valid one.
public final class MalformedQuantityException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public MalformedQuantityException(String text) {
    super(
        "\""
            + text
            + "\" is not a GPU quantity; write a number of GPUs such as 4, 0.5 or 1/7, at most "
            + GpuQuantity.MAX_GPUS);
  }
}
