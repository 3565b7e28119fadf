/// The hash chain of an audit log: its verification, and its anchors outside of the database.
@NullMarked
package io.headgate.kit.audit;

import org.jspecify.annotations.NullMarked;
