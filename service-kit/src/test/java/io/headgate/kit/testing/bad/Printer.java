package io.headgate.kit.testing.bad;

/// Prints.
public final class Printer {
  public void print() {
    System.out.println("hello");
  }
}
