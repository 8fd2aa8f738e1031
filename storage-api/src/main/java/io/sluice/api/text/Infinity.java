package io.sluice.api.text;

/** The words infinity and -infinity, in any case, that dates and timestamps share. */
final class Infinity {
    private Infinity() {}

    /** 1 for infinity, -1 for -infinity, 0 for anything else. */
    static int sign(byte[] buffer, int from, int to) {
        if (Ascii.isWord(buffer, from, to, "infinity")) {
            return 1;
        }
        return from < to && buffer[from] == '-' && Ascii.isWord(buffer, from + 1, to, "infinity") ? -1 : 0;
    }
}
