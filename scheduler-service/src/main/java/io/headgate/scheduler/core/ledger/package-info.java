/// The usage ledger: which attempt held which slices from when until when, by which right, and what
/// pools had besides. It follows decisions and decides nothing.
@NullMarked
package io.headgate.scheduler.core.ledger;

import org.jspecify.annotations.NullMarked;
