/**
 * What the importer and the storage node share and nothing more.
 *
 * <p>{@code schema} describes tables, {@code row} holds one typed row, {@code text} reads and prints its datums as
 * text, {@code kv} turns it into key/value pairs and back, {@code node} is the interface of a storage node, and
 * {@code error} holds the few kinds of failure a user can meet.
 */
@NullMarked
package io.sluice.api;

import org.jspecify.annotations.NullMarked;
