/**
 * What an LSM tree looks like by sublevels, and which merge relieves it best. Pure: file metadata in, drawings and
 * picks out; nothing here knows RocksDB.
 */
@NullMarked
package io.sluice.node.compact;

import org.jspecify.annotations.NullMarked;
