package io.sluice.importer.decode.avro;

/**
 * Thrown for bytes that are not a datum of their schema. The bytes after them cannot be read either, since the start of
 * the next datum is unknown. It has no stack trace, since the error is in the data.
 */
final class MalformedDatum extends Exception {
    MalformedDatum(String message) {
        super(message, null, false, false);
    }

    /** The message, never null. */
    String problem() {
        return String.valueOf(getMessage());
    }
}
