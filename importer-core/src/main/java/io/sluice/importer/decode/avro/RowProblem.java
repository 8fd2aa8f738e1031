package io.sluice.importer.decode.avro;

import io.sluice.model.text.DatumProblem;
import org.jspecify.annotations.Nullable;

/** Collects the first problem of a record's values while it is read. One per decoder. */
final class RowProblem {
    private @Nullable DatumProblem first;
    private int column;

    void clear() {
        first = null;
    }

    /** Takes a column's problem, or null. */
    void take(int ofColumn, @Nullable DatumProblem problem) {
        if (problem != null && first == null) {
            first = problem;
            column = ofColumn;
        }
    }

    @Nullable
    DatumProblem first() {
        return first;
    }

    /** Position of the column that {@link #first} is about. */
    int column() {
        return column;
    }
}
