package io.headgate.scheduler;

import io.headgate.kit.testing.LayerRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

final class ArchitectureTest {
  @TestFactory
  Stream<DynamicTest> layers() {
    return LayerRules.tests("io.headgate.scheduler");
  }
}
