/** Tests of the DDL that declares tables. */
@NullMarked
package io.sluice.api.schema;

import org.jspecify.annotations.NullMarked;
