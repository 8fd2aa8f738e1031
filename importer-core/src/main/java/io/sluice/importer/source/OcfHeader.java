package io.sluice.importer.source;

import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The header of an Avro object container file: {@code Obj} and a version, a map of metadata, and the sync marker that
 * follows every block.
 *
 * @param metadata the file's metadata by key, {@code avro.schema} and {@code avro.codec} among it
 * @param sync the marker, of {@link #SYNC_BYTES}; not copied: do not change it
 */
@SuppressWarnings("ArrayRecordComponent")
public record OcfHeader(Map<String, byte[]> metadata, byte[] sync) {
    /** Length of the marker. */
    public static final int SYNC_BYTES = 16;

    /**
     * Metadata of a Parquet file that was converted while it was read: the number of rows of each of its row groups,
     * with commas between them. Positions of its blocks say nothing to users.
     */
    public static final String CONVERTED = "sluice.converted";

    private static final byte[] MAGIC = {'O', 'b', 'j', 1};

    /** The first bytes of every object container file, as a copy. */
    public static byte[] magic() {
        return MAGIC.clone();
    }

    /** Whether bytes begin as an object container file does. */
    public static boolean isMagic(byte[] bytes, int length) {
        return length >= MAGIC.length && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /**
     * Reads a header.
     *
     * @throws BadInputException when the bytes are not a header
     */
    public static OcfHeader of(byte[] header, String fileName) {
        Map<String, byte[]> metadata = new LinkedHashMap<>();
        int end = new Reader(header, 0, header.length, metadata).end();
        if (end == header.length) {
            return new OcfHeader(metadata, Arrays.copyOfRange(header, end - SYNC_BYTES, end));
        }
        if (!isMagic(header, header.length)) {
            throw new BadInputException(fileName
                    + ": is neither a Parquet file nor an Avro container file: its first bytes are neither \"PAR1\" nor"
                    + " \"Obj\" and 1; name its format with --format");
        }
        throw new BadInputException(fileName + ": the Avro header is "
                + (end == Varints.INCOMPLETE ? "cut off after " + header.length + " bytes" : "malformed")
                + "; write the file again");
    }

    /** Position after the header at {@code from}, {@link Varints#INCOMPLETE} or {@link Varints#MALFORMED}. */
    static int end(byte[] buffer, int from, int to) {
        return new Reader(buffer, from, to, null).end();
    }

    /** One pass over a header. */
    private static final class Reader {
        private final byte[] buffer;
        private final int to;
        private final @Nullable Map<String, byte[]> metadata;
        private int at;

        /** Negative once the header was found incomplete or malformed. */
        private int problem;

        Reader(byte[] buffer, int from, int to, @Nullable Map<String, byte[]> metadata) {
            this.buffer = buffer;
            this.to = to;
            this.metadata = metadata;
            at = from;
        }

        int end() {
            int known = Math.min(MAGIC.length, to - at);
            if (!Arrays.equals(buffer, at, at + known, MAGIC, 0, known)) {
                return Varints.MALFORMED;
            }
            at += MAGIC.length;
            long entries = number();
            while (problem == 0 && entries != 0) {
                if (entries < 0) {
                    number(); // the bytes of these entries, for readers that skip them
                }
                // Counted towards zero, because the smallest long has no positive twin.
                for (long i = entries < 0 ? entries : -entries; i < 0 && problem == 0; i++) {
                    entry();
                }
                entries = number();
            }
            if (problem == 0 && at + SYNC_BYTES > to) {
                problem = Varints.INCOMPLETE;
            }
            return problem < 0 ? problem : at + SYNC_BYTES;
        }

        private void entry() {
            int keyLength = length();
            int key = at;
            at += keyLength;
            int valueLength = length();
            if (metadata != null && problem == 0) {
                metadata.put(
                        new String(buffer, key, keyLength, StandardCharsets.UTF_8),
                        Arrays.copyOfRange(buffer, at, at + valueLength));
            }
            at += valueLength;
        }

        private int length() {
            long length = number();
            if (problem == 0 && (length < 0 || length > to - at)) {
                problem = length < 0 ? Varints.MALFORMED : Varints.INCOMPLETE;
            }
            return problem < 0 ? 0 : (int) length;
        }

        private long number() {
            int end = problem < 0 ? problem : Varints.end(buffer, at, to);
            if (end < 0) {
                problem = end;
                return 0;
            }
            long value = Varints.value(buffer, at);
            at = end;
            return value;
        }
    }
}
