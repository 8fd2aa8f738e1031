package io.sluice.model.text;

/**
 * The reason why a text is not a datum of its column.
 *
 * @param code stable code of the problem
 * @param message what is wrong, with the type and the limit; without the text itself, which the caller quotes
 */
public record DatumProblem(Code code, String message) {
    /** Kinds of problem; the lower-case names are part of the reject format. */
    public enum Code {
        NOT_NULL,
        SYNTAX,
        OUT_OF_RANGE,
        TOO_LONG,
        BAD_UTF8
    }
}
