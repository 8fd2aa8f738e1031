package io.sluice.model.schema;

/** The order in which an index column's values sort. */
public enum Direction {
    ASC,
    DESC
}
