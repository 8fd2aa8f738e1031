package io.sluice.importer.decode.json;

/** A record that is not valid JSON. It has no stack trace, since a file may have millions of them. */
final class MalformedJson extends Exception {
    private static final long serialVersionUID = 1;

    private final int position;

    /**
     * Creates the error.
     *
     * @param problem what is wrong
     * @param position its position in the buffer
     */
    MalformedJson(String problem, int position) {
        super(problem, null, false, false);
        this.position = position;
    }

    int position() {
        return position;
    }
}
