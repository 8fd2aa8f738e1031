package io.sluice.model.text;

/** The exception for text that is not valid JSON. It has no stack trace, since a file may have millions of them. */
public final class MalformedJson extends Exception {
    private static final long serialVersionUID = 1;

    private final int position;

    /**
     * Creates the error.
     *
     * @param problem what is wrong
     * @param position its position in the buffer
     */
    public MalformedJson(String problem, int position) {
        super(problem, null, false, false);
        this.position = position;
    }

    /** Position of the problem in the buffer. */
    public int position() {
        return position;
    }
}
