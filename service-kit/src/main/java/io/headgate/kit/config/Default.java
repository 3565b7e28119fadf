package io.headgate.kit.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The value of a record component that the configuration does not name, written as the file would
/// write it. Without it a component is taken from the record's `static final DEFAULTS`, and where
/// there is none either it must be configured.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Default {
  String value();
}
