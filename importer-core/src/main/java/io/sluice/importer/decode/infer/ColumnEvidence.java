package io.sluice.importer.decode.infer;

import io.sluice.model.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/** Types that all values of one CSV column fit, and the value that ruled out the last narrower type. */
final class ColumnEvidence {
    private static final int EXCERPT_BYTES = 40;

    private final EnumSet<Guess> possible = EnumSet.allOf(Guess.class);
    private final Row scratch = new Row(1);
    private long values;
    private long nulls;
    private int longestBytes;
    private @Nullable String turning;

    void addNull() {
        nulls++;
    }

    /** Takes one value. */
    void add(byte[] text, int from, int to, long record) {
        values++;
        longestBytes = Math.max(longestBytes, to - from);
        if (possible.isEmpty()) {
            return;
        }
        Guess before = narrowest();
        possible.removeIf(guess -> !guess.takes(text, from, to, scratch));
        if (values > 1 && before != narrowest()) {
            String excerpt = new String(text, from, Math.min(EXCERPT_BYTES, to - from), StandardCharsets.UTF_8);
            turning = (before == null ? "" : before + " up to ") + "record " + record + ", which has '" + excerpt + "'";
        }
    }

    private @Nullable Guess narrowest() {
        return possible.isEmpty() ? null : possible.iterator().next();
    }

    /** The column to propose. */
    InferredColumn column(String name) {
        Guess guess = narrowest();
        if (values == 0) {
            return new InferredColumn(name, "STRING", "only NULLs were seen: the type is a guess");
        }
        String type = guess == null ? "STRING" : guess.name();
        StringBuilder comment = new StringBuilder();
        comment.append(nulls == 0 ? "no NULL seen" : nulls + " NULLs seen");
        if (guess == null) {
            comment.append("; longest ").append(longestBytes).append(" bytes");
        }
        if (turning != null) {
            comment.append("; ").append(turning);
        }
        return new InferredColumn(name, type, comment.toString());
    }
}
