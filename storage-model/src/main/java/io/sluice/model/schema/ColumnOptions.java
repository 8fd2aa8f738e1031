package io.sluice.model.schema;

import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.DirectedName;
import io.sluice.model.schema.Declared.IndexKind;
import io.sluice.model.schema.Declared.Nullability;
import io.sluice.model.schema.IndexColumn.Direction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The constraints that follow a column's type.
 *
 * @param nullability NULL, NOT NULL, or neither
 * @param indexes indexes of PRIMARY KEY and UNIQUE
 */
record ColumnOptions(Nullability nullability, List<DeclaredIndex> indexes) {

    /** Parses the words that JSqlParser found after the type; null if there are none. */
    static ColumnOptions of(@Nullable List<String> words, String column, int line, DdlProblems problems) {
        Nullability nullability = Nullability.UNSAID;
        List<DeclaredIndex> indexes = new ArrayList<>();
        Words at = new Words(words == null ? List.of() : words);
        while (!at.atEnd()) {
            if (at.take("NOT", "NULL")) {
                nullability = once(nullability, Nullability.NOT_NULL, column, line, problems);
            } else if (at.take("NULL")) {
                nullability = once(nullability, Nullability.NULL, column, line, problems);
            } else if (at.take("PRIMARY", "KEY")) {
                at.take("ASC");
                Direction direction = at.take("DESC") ? Direction.DESC : Direction.ASC;
                indexes.add(DeclaredIndex.ofColumn(line, IndexKind.PRIMARY, new DirectedName(column, direction)));
            } else if (at.take("UNIQUE")) {
                indexes.add(DeclaredIndex.ofColumn(line, IndexKind.UNIQUE, new DirectedName(column, Direction.ASC)));
            } else if (at.take("CONSTRAINT")) {
                at.skip(); // its name, which nothing refers to
            } else {
                problems.add(
                        line,
                        "column " + column + ": " + at.next()
                                + " is not supported; a column takes NULL, NOT NULL, DEFAULT, PRIMARY KEY, UNIQUE and REFERENCES");
                break;
            }
        }
        return new ColumnOptions(nullability, List.copyOf(indexes));
    }

    private static Nullability once(
            Nullability before, Nullability now, String column, int line, DdlProblems problems) {
        if (before != Nullability.UNSAID && before != now) {
            problems.add(line, "column " + column + " is declared both NULL and NOT NULL; leave one out");
        }
        return now;
    }

    /** A cursor in a list of words. */
    private static final class Words {
        private final List<String> words;
        private int at;

        Words(List<String> words) {
            this.words = words;
        }

        boolean atEnd() {
            return at >= words.size();
        }

        String next() {
            return words.get(at);
        }

        void skip() {
            at++;
        }

        boolean take(String... expected) {
            for (int i = 0; i < expected.length; i++) {
                if (at + i >= words.size() || !words.get(at + i).equalsIgnoreCase(expected[i])) {
                    return false;
                }
            }
            at += expected.length;
            return true;
        }
    }
}
