package io.sluice.importer.decode.avro;

/**
 * Bytes that are no datum of their schema. Whatever follows them cannot be read either: nothing says where the next
 * datum begins. Has no stack trace; it is thrown where data is bad, not where the program is.
 */
final class MalformedDatum extends Exception {
    MalformedDatum(String message) {
        super(message, null, false, false);
    }

    /** What is wrong, in words. */
    String problem() {
        return String.valueOf(getMessage());
    }
}
