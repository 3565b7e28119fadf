package io.headgate.policy;

import io.headgate.kit.testing.LayerRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class LayersTest {
  @TestFactory
  Stream<DynamicTest> layers() {
    return LayerRules.tests("io.headgate.policy");
  }
}
