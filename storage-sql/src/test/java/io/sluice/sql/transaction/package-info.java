@NullMarked
package io.sluice.sql.transaction;

import org.jspecify.annotations.NullMarked;
