/// Exact value types of the contract. They are hand-written here, in the one module that everybody
/// depends on, because four copies of one arithmetic, or two readings of one name, would drift;
/// they use nothing but `java.lang` and `java.util`.
@NullMarked
package io.headgate.type;

import org.jspecify.annotations.NullMarked;
