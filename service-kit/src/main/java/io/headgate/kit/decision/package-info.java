/// Values with which a pure core decides: outcomes, problems, suggestions, changes of fields. They
/// depend on the JDK alone.
@NullMarked
package io.headgate.kit.decision;

import org.jspecify.annotations.NullMarked;
