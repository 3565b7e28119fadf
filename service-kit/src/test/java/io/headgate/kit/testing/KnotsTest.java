package io.headgate.kit.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/// The bounds on mutual dependency can fail, at the size that they state.
class KnotsTest {
  private static final String KNOT = "io.headgate.kit.testing.bad.knot";
  private static final JavaClasses CLASSES = new ClassFileImporter().importPackages(KNOT);

  @Test
  void refusesAKnotOfMoreFilesThanAreAllowed() {
    assertThatThrownBy(() -> Knots.ofFilesAtMost(KNOT, 2).check(CLASSES))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("3 files depend on each other")
        .hasMessageContaining(KNOT + ".First, " + KNOT + ".Second, " + KNOT + ".inner.Third");
  }

  @Test
  void allowsAKnotOfTheStatedSize() {
    Knots.ofFilesAtMost(KNOT, 3).check(CLASSES);
  }

  @Test
  void refusesPackagesThatDependOnEachOther() {
    assertThatThrownBy(() -> Knots.noneOfPackages(KNOT).check(CLASSES))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("2 packages depend on each other");
  }
}
