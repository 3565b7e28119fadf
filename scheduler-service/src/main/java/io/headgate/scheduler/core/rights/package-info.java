/// What a policy may use, and what it uses (DESIGN A2, A4, A5, A8, O1, O4, P2).
@NullMarked
package io.headgate.scheduler.core.rights;

import org.jspecify.annotations.NullMarked;
