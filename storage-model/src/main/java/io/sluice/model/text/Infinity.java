package io.sluice.model.text;

/** Recognizes infinity and -infinity, in any case, for dates and timestamps. */
final class Infinity {
    private Infinity() {}

    /** Returns 1 for infinity, -1 for -infinity, 0 for any other text. */
    static int sign(byte[] buffer, int from, int to) {
        if (Ascii.isWord(buffer, from, to, "infinity")) {
            return 1;
        }
        return from < to && buffer[from] == '-' && Ascii.isWord(buffer, from + 1, to, "infinity") ? -1 : 0;
    }
}
