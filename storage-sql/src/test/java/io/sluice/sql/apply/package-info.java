@NullMarked
package io.sluice.sql.apply;

import org.jspecify.annotations.NullMarked;
