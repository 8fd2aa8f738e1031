package io.sluice.importer.decode;

/**
 * A syntax problem of a record, found before its fields are parsed.
 *
 * @param field the field, from 0; -1 if not known
 * @param message the problem
 */
record MalformedRecord(int field, String message) {
    static final MalformedRecord UNKNOWN = new MalformedRecord(-1, "is not well-formed CSV of this dialect");
}
