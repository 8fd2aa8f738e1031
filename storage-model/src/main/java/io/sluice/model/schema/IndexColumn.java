package io.sluice.model.schema;

/**
 * A column of an index key.
 *
 * @param column position in {@link TableDef#columns()}, from 0
 * @param direction sort order of its values
 */
public record IndexColumn(int column, Direction direction) {

    /** The order in which an index column's values sort. */
    public enum Direction {
        ASC,
        DESC
    }
}
