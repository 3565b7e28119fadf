package io.headgate.scheduler.core;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Names the rules that a test's table covers; [RulesAreTestedTest] reads it.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Rule {
  /// Such as `P3`.
  String value();
}
