package io.headgate.kit.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The default of a record component, in the notation of the file. Without it the component takes
/// its value in the record's `static final DEFAULTS`; without either, it must be configured.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Default {
  String value();
}
