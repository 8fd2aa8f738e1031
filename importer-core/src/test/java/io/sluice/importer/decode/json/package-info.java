/** Tests of JSON input: each rule, damaged records, and Jackson as the oracle. */
@NullMarked
package io.sluice.importer.decode.json;

import org.jspecify.annotations.NullMarked;
