package io.headgate.kit.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Describes one key of a process's configuration, for the reference and `--settings`. Every record
/// component that {@link ConfigLoader} reads has one.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /// The effect of the value, in one or two sentences.
  String meaning();

  /// The accepted values; empty when the type says it all.
  String bound() default "";

  /// The meaning of an absent value, where it has no {@link Default}; empty: nothing.
  String absent() default "";
}
