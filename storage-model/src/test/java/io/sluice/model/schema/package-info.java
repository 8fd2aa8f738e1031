/** Tests of the DDL that declares tables. */
@NullMarked
package io.sluice.model.schema;

import org.jspecify.annotations.NullMarked;
