/** Observability for operators: metrics, a log line per finished job, and the audit log. */
@NullMarked
package io.sluice.service.observe;

import org.jspecify.annotations.NullMarked;
