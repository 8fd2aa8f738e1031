/** Import requests: the body is validated member by member and converted to the settings of an import. */
@NullMarked
package io.sluice.service.spec;

import org.jspecify.annotations.NullMarked;
