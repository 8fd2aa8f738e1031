package io.sluice.engine.store;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;

/**
 * Opens a database, and distinguishes a torn tail of its write-ahead log from damage.
 *
 * <p>RocksDB's default, point-in-time recovery, stops at the first bad record and silently drops all that follows,
 * synced or not. Its other modes refuse the torn tail that a power cut leaves, or skip records in the middle. So:
 *
 * <ol>
 *   <li>Open with absolute consistency: any bad record is an error. Every intact log opens this way, at no extra cost.
 *   <li>If that fails, read the log, also after bad records, for the greatest durable mark ({@link CommitLog}), and for
 *       the last sequence number before the first bad record, up to which a recovery keeps the writes.
 *   <li>If that number is below the mark, synced commits are missing: refuse. The number of the recovered database
 *       would not do: ingested files and flushes of other trees raise it, too.
 *   <li>Otherwise only the unsynced end is torn: open with point-in-time recovery, and report it.
 * </ol>
 *
 * <p>Limits: damage to the last synced commits, with no write after them, looks like a torn tail. It is reported, not
 * refused.
 *
 * <p>The file format is that of RocksDB's log_format.h: blocks of 32 KiB with fragments of records. A fragment has a
 * masked CRC-32C (4 bytes, little-endian, of all that follows the length), a length (2), a type (1), and the payload.
 * The payload of a record is a write batch: sequence number (8), count (4), and the durable mark as its first entry.
 */
public final class WriteAheadLog {
    private static final String SUFFIX = ".log";
    private static final int BLOCK_BYTES = 32 << 10;
    private static final int HEADER_BYTES = 7;
    private static final int LENGTH_AT = 4;
    private static final int TYPE_AT = 6;
    private static final int CRC_MASK_DELTA = 0xa282ead8;

    private static final int FULL = 1;
    private static final int FIRST = 2;
    private static final int LAST = 4;

    private static final int BATCH_HEADER_BYTES = 12;
    private static final int COUNT_AT = 8;
    private static final int SEQUENCE_AT = 0;
    private static final long NONE = -1;

    private final CRC32C crc = new CRC32C();
    /** The first bytes of a record: the batch header and the durable mark. */
    private final ByteBuffer head =
            ByteBuffer.allocate(BATCH_HEADER_BYTES + CommitLog.ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private long greatestMark;
    /** The last sequence number before the damage; {@link #NONE} when no write precedes it. */
    private long kept = NONE;
    /** The sequence number and the mark of the first intact commit after the damage. */
    private long nextSequence;

    private long nextMark;
    private @Nullable Path damagedFile;
    private long damagedAt;
    /** Begin of the first bad record, a byte of that file. */
    private long cutAt;

    private long bytesAfter;
    private int commitsAfter;
    private long writesAfter;

    private WriteAheadLog() {}

    /** Opens the database. */
    @FunctionalInterface
    public interface Opener {
        /** Opens the database with a recovery mode. */
        RocksDB open(WALRecoveryMode mode) throws RocksDBException;
    }

    /**
     * An open database.
     *
     * @param db the database, which the caller closes
     * @param tornTail the dropped end of its log, as a sentence; null if nothing was dropped
     */
    public record Opened(RocksDB db, @Nullable String tornTail) {}

    /**
     * Opens a database.
     *
     * @param wayOut advice to the operator about damage, as a sentence
     * @throws OperationFailedException if its log is damaged and synced commits would be lost; nothing was changed
     */
    public static Opened open(Path directory, Opener opener, String wayOut) throws RocksDBException {
        try {
            return new Opened(opener.open(WALRecoveryMode.AbsoluteConsistency), null);
        } catch (RocksDBException e) {
            Status status = e.getStatus();
            if (status == null || status.getCode() != Status.Code.Corruption) {
                throw e;
            }
            WriteAheadLog log = read(directory);
            if (log.damagedFile == null) {
                throw e;
            }
            String loss = log.loss();
            if (loss != null) {
                throw new OperationFailedException(loss + ". Nothing was changed. " + wayOut);
            }
            RocksDB db = opener.open(WALRecoveryMode.PointInTimeRecovery);
            return new Opened(
                    db,
                    "dropped the torn end of the write-ahead log, " + log.place() + ": "
                            + log.bytesAfter
                            + " bytes that were never reported as durable. A power cut leaves that; if there"
                            + " was none, check the disk");
        }
    }

    /** The synced writes that a damaged log would lose, as a sentence; null if none. Changes nothing. */
    static @Nullable String loss(Path directory) {
        return read(directory).loss();
    }

    private @Nullable String loss() {
        long recovered = recovered();
        if (damagedFile == null || greatestMark <= recovered) {
            return null;
        }
        return "the write-ahead log is damaged, " + place() + ": writes " + (recovered + 1) + " to " + greatestMark
                + " were committed durably and would be lost with it, and " + commitsAfter
                + " intact commits with " + writesAfter + " writes that follow the damage";
    }

    /**
     * The sequence number up to which a recovery keeps the writes. If the log begins with the damage, the mark of the
     * next commit is taken for it: either it is of an earlier log, or of the damaged writes. It is of the latter if it
     * is the number just before that commit.
     */
    private long recovered() {
        if (kept != NONE || commitsAfter == 0) {
            return kept == NONE ? greatestMark : kept;
        }
        return Math.min(nextMark, nextSequence - 2);
    }

    private String place() {
        return "file " + damagedFile + " at byte " + damagedAt;
    }

    /** Lists the files of a database's log, oldest first. */
    static List<Path> files(Path directory) throws IOException {
        return DurableFiles.list(directory).stream()
                .filter(file -> number(file) >= 0)
                .sorted(Comparator.comparingLong(WriteAheadLog::number))
                .toList();
    }

    private static long number(Path file) {
        String name = file.getFileName().toString();
        if (!name.endsWith(SUFFIX)) {
            return NONE;
        }
        String digits = name.substring(0, name.length() - SUFFIX.length());
        return digits.chars().allMatch(c -> c >= '0' && c <= '9') && !digits.isEmpty() ? Long.parseLong(digits) : NONE;
    }

    /** Copies the files of a database's log to a new directory, durably. */
    static void copy(Path directory, Path copies) {
        try {
            OwnerOnly.createDirectories(copies);
            for (Path file : files(directory)) {
                Path copy = copies.resolve(file.getFileName());
                Files.copy(file, copy);
                DurableFiles.sync(copy);
            }
            DurableFiles.syncDirectory(copies);
            DurableFiles.syncDirectory(
                    Objects.requireNonNull(copies.toAbsolutePath().getParent()));
        } catch (IOException e) {
            throw StoreErrors.failed("copy the write-ahead log to " + copies, e);
        }
    }

    /** Cuts a database's log before its first bad record, and deletes its later files, the newest first. */
    static void truncate(Path directory) {
        WriteAheadLog log = read(directory);
        Path damaged = log.damagedFile;
        if (damaged == null) {
            return;
        }
        try {
            List<Path> files = files(directory);
            for (int i = files.size() - 1; !files.get(i).equals(damaged); i--) {
                Files.delete(files.get(i));
            }
            try (FileChannel channel = FileChannel.open(damaged, StandardOpenOption.WRITE)) {
                channel.truncate(log.cutAt).force(true);
            }
            DurableFiles.syncDirectory(directory);
        } catch (IOException e) {
            throw StoreErrors.failed("truncate the write-ahead log in " + directory, e);
        }
    }

    private static WriteAheadLog read(Path directory) {
        WriteAheadLog log = new WriteAheadLog();
        try {
            for (Path file : files(directory)) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                    ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
                    log.read(file, bytes.order(ByteOrder.LITTLE_ENDIAN));
                }
            }
            return log;
        } catch (IOException e) {
            throw StoreErrors.failed("read the write-ahead log in " + directory, e);
        }
    }

    /** Reads a file fragment by fragment; after a bad fragment, tries every byte until one is good. */
    private void read(Path file, ByteBuffer in) {
        boolean inRecord = false;
        boolean searching = false;
        int recordAt = 0;
        int at = 0;
        while (at < in.limit()) {
            int blockEnd = Math.min(in.limit(), at / BLOCK_BYTES * BLOCK_BYTES + BLOCK_BYTES);
            if (blockEnd - at < HEADER_BYTES && blockEnd % BLOCK_BYTES == 0) {
                at = blockEnd;
                continue;
            }
            if (!isFragment(in, at, blockEnd)) {
                if (!searching) {
                    damaged(file, at, inRecord ? recordAt : at, in.limit() - at);
                }
                searching = true;
                inRecord = false;
                at++;
                continue;
            }
            searching = false;
            int length = in.getShort(at + LENGTH_AT) & 0xffff;
            int type = in.get(at + TYPE_AT);
            if (type == FULL || type == FIRST) {
                head.clear();
                inRecord = true;
                recordAt = at;
            }
            at += HEADER_BYTES;
            head.put(in.slice(at, Math.min(length, head.remaining())));
            at += length;
            if (inRecord && (type == FULL || type == LAST)) {
                batch(head.flip());
                inRecord = false;
            }
        }
        if (inRecord) {
            damaged(file, in.limit(), recordAt, 0);
        }
    }

    private boolean isFragment(ByteBuffer in, int at, int blockEnd) {
        if (blockEnd - at < HEADER_BYTES) {
            return false;
        }
        int length = in.getShort(at + LENGTH_AT) & 0xffff;
        int type = in.get(at + TYPE_AT);
        if (type < FULL || type > LAST || length > blockEnd - at - HEADER_BYTES) {
            return false;
        }
        crc.reset();
        crc.update(in.slice(at + TYPE_AT, 1 + length));
        int actual = (int) crc.getValue();
        return ((actual >>> 15) | (actual << 17)) + CRC_MASK_DELTA == in.getInt(at);
    }

    private void damaged(Path file, long at, long begin, long rest) {
        if (damagedFile == null) {
            damagedFile = file;
            damagedAt = at;
            cutAt = begin;
        }
        bytesAfter += rest;
    }

    private void batch(ByteBuffer start) {
        if (start.remaining() < BATCH_HEADER_BYTES) {
            return;
        }
        long sequence = start.getLong(SEQUENCE_AT);
        int writes = start.getInt(COUNT_AT);
        boolean marked = start.remaining() == BATCH_HEADER_BYTES + CommitLog.ENTRY_BYTES
                && start.get(BATCH_HEADER_BYTES) == CommitLog.LOG_DATA
                && start.get(BATCH_HEADER_BYTES + 1) == CommitLog.MARK_BYTES;
        // The mark itself is big-endian.
        long mark = marked ? Long.reverseBytes(start.getLong(BATCH_HEADER_BYTES + 2)) : 0;
        greatestMark = Math.max(greatestMark, mark);
        if (damagedFile == null) {
            kept = Math.max(kept, sequence + writes - 1);
            return;
        }
        if (commitsAfter == 0) {
            nextSequence = sequence;
            nextMark = mark;
        }
        commitsAfter++;
        writesAfter += writes;
    }
}
