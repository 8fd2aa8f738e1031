package io.sluice.importer.decode;

/**
 * What is wrong with a record before any field is looked at.
 *
 * @param field the field, from 0; -1 when it is not known
 * @param message what is wrong with it
 */
record MalformedRecord(int field, String message) {
    static final MalformedRecord UNKNOWN = new MalformedRecord(-1, "is not well-formed CSV of this dialect");
}
