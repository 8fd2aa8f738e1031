/**
 * The events of a store's LSM trees: a log that a running node appends to in the background, and the history read from
 * it, or from the MANIFEST of any RocksDB database. {@code sluice lsm} draws the history.
 *
 * <h2>Format of the event log, version 1</h2>
 *
 * <p>{@code lsm-events.jsonl}, one JSON object per line, in the order of the events:
 *
 * <pre>
 *   {"seq": 17,                        number of the event, ascending in the store
 *    "atMillis": 1760000000000,        time of the event
 *    "family": "t7",                   column family
 *    "table": "stock",                 table, or null
 *    "event": {"kind": "ingest", ...}, {@link io.sluice.engine.lsm.LsmEvent} has the kinds and their members
 *    "after": {...}}                   {@link io.sluice.engine.lsm.LsmFigures}: the tree after the event
 * </pre>
 *
 * <p>A file in an event has its name, level, bytes, entries, and its first and last key in hexadecimal. The log starts
 * again with a snapshot of all live files when it has reached its size limit. It is for people: nothing is recovered
 * from it, and it is not synced.
 *
 * <p>Readers skip members that they do not know, and count lines whose kind they do not know. A torn last line is
 * skipped. So an older version reads the log of a newer one with gaps that it reports.
 */
@NullMarked
package io.sluice.engine.lsm;

import org.jspecify.annotations.NullMarked;
