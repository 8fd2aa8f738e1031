/**
 * Beside step 4: keeps the contents of sort buffers in local files, too. A process that resumes the import after a kill
 * need not read their rows again.
 *
 * <h2>Format, version 1</h2>
 *
 * <p>Numbers are big-endian. A file has a head and frames:
 *
 * <pre>
 *   head    magic "SLJ1" (int), import id (2 longs), table id (long), number of this use (long)
 *   frame   CRC-32C (int) of the number of this use and of all that follows
 *           type (byte), 0 (byte), index (short), length (int), bytes
 *             1 KVS    entries of a sort buffer; an entry may continue in the next frame of its index
 *             2 CHUNK  the span of the input that the KVs since the last CHUNK or DROP come from
 *             3 DROP   no bytes: the KVs since the last CHUNK or DROP do not count
 * </pre>
 *
 * <p>Files are overwritten, each time with another number. So a frame of an earlier use has a wrong CRC, like a torn
 * one, and ends the valid part. The last digit of the magic is the version. A file with another magic, owner or version
 * counts as empty: its rows are read from the input again, which is slower and always right.
 */
@NullMarked
package io.sluice.importer.journal;

import org.jspecify.annotations.NullMarked;
