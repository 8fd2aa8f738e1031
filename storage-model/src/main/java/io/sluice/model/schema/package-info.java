/** Tables, columns and indexes as SQL DDL declares them, and the same bound to the ids that key encoding needs. */
@NullMarked
package io.sluice.model.schema;

import org.jspecify.annotations.NullMarked;
