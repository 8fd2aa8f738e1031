/**
 * Tables that files suggest: from an Avro schema, or from the values of a CSV or JSON file. Proposals for people to
 * read, with comments that say what they rest on; imports never guess.
 */
@NullMarked
package io.sluice.importer.decode.infer;

import org.jspecify.annotations.NullMarked;
