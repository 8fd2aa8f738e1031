package io.sluice.importer.decode.infer;

/**
 * A column that is proposed.
 *
 * @param name as the file has it
 * @param sql its type, with NOT NULL where the file rules NULL out; empty: there is no column, only the comment
 * @param comment why, and what was not seen; may be empty
 */
public record InferredColumn(String name, String sql, String comment) {
    /** Something of the file that becomes no column. */
    static InferredColumn none(String name, String comment) {
        return new InferredColumn(name, "", comment);
    }

    boolean isColumn() {
        return !sql.isEmpty();
    }
}
