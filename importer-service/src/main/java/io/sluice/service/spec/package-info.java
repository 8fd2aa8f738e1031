/**
 * What clients ask for: the body of a request, checked member by member, and turned into what an import is made from.
 */
@NullMarked
package io.sluice.service.spec;

import org.jspecify.annotations.NullMarked;
