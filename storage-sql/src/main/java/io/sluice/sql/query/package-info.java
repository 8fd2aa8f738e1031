/**
 * Computes the result of a SELECT from rows: expressions, groups, order. Values are objects by the kind of their type,
 * null for NULL: Boolean, Long (integers, DATE, TIME), Double, BigDecimal, String, {@code byte[]}, Instant, UUID and
 * Composite (JSONB, arrays). A DECIMAL that is NaN or infinite is a Double. It knows neither keys nor transactions.
 */
@NullMarked
package io.sluice.sql.query;

import org.jspecify.annotations.NullMarked;
