/**
 * JSON lines and JSON arrays. {@link io.sluice.importer.decode.json.JsonDecoder} scans the bytes of each record once
 * and hands the text of every member to the parser of its column, so that JSON and CSV agree on what a value is.
 */
@NullMarked
package io.sluice.importer.decode.json;

import org.jspecify.annotations.NullMarked;
