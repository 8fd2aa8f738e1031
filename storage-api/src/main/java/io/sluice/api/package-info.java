/**
 * The data model, encoding and interfaces that the importer and the storage node share.
 *
 * <p>{@code schema} describes tables, {@code row} holds one typed row, {@code text} parses and prints datums,
 * {@code kv} encodes rows as key/value pairs and decodes them, {@code node} is the interface of a storage node, and
 * {@code error} has the failures that a user can meet.
 */
@NullMarked
package io.sluice.api;

import org.jspecify.annotations.NullMarked;
