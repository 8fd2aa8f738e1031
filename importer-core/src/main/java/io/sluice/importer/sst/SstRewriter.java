package io.sluice.importer.sst;

import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.RunCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.KvCrc;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Rewrites SSTs of a table for the same table under another id. All keys of an index start with the same prefix, which
 * alone holds the id, so the order of keys stays. Each KV gets a new CRC after its old one was checked. Reading and
 * rewriting costs 1.6 us of CPU per KV (docs/benchmarks.md). Not for interleaved tables, whose keys hold several ids.
 * Not thread-safe.
 */
public final class SstRewriter {
    private final Path directory;
    private final SstFormat format;
    private final Table from;
    private final IndexKeys oldKeys;
    private final IndexKeys newKeys;
    private final List<IndexDigest> oldDigests;
    private final List<IndexDigest> newDigests;
    private final CRC32 crc = new CRC32();
    private byte[] entry = new byte[1 << 10];

    /** @param directory directory of the output files */
    public SstRewriter(Path directory, SstFormat format, Table from, Table to) {
        if (from.interleaved() || to.interleaved()) {
            throw new IllegalArgumentException("keys of interleaved tables hold several ids");
        }
        this.directory = directory;
        this.format = format;
        this.from = from;
        oldKeys = new IndexKeys(from);
        newKeys = new IndexKeys(to);
        oldDigests = IndexDigest.ofAll(from);
        newDigests = IndexDigest.ofAll(to);
    }

    /**
     * Rewrites an SST into a new file with another id; its own file stays.
     *
     * @throws OperationFailedException if a KV is not of the table or the checksum of all KVs changes
     */
    public SstFile rewrite(SstFile sst) throws IOException {
        int ordinal = from.ordinal(sst.indexId());
        byte[] oldPrefix = oldKeys.span(ordinal).start();
        byte[] newPrefix = newKeys.span(ordinal).start();
        KvChecksum.Accumulator old = new KvChecksum.Accumulator(oldDigests.get(ordinal));
        try (SstBuilder builder = new SstBuilder(directory, newDigests.get(ordinal), format);
                RunCursor cursor = new SstRun(sst).cursor(null, null)) {
            while (cursor.advance()) {
                byte[] buffer = cursor.buffer();
                int at = cursor.keyOffset();
                int rest = cursor.keyLength() - oldPrefix.length;
                boolean intact = old.addIntact(buffer, at, cursor.keyLength(), cursor.valueLength());
                if (!intact
                        || rest < 0
                        || !Arrays.equals(buffer, at, at + oldPrefix.length, oldPrefix, 0, oldPrefix.length)) {
                    throw oldDigests.get(ordinal).damaged(buffer, at, cursor.keyLength(), "the staged set");
                }
                int keyLength = newPrefix.length + rest;
                int end = keyLength + cursor.valueLength();
                if (entry.length < end) {
                    entry = new byte[2 * end];
                }
                System.arraycopy(newPrefix, 0, entry, 0, newPrefix.length);
                System.arraycopy(buffer, at + oldPrefix.length, entry, newPrefix.length, rest + cursor.valueLength());
                KvCrc.put(crc, entry, 0, keyLength, end);
                builder.add(entry, 0, keyLength, cursor.valueLength());
            }
            SstFile rewritten = builder.finish();
            if (!old.sum().equals(sst.sum())
                    || rewritten.sum().count() != sst.sum().count()
                    || rewritten.sum().crcSum() != sst.sum().crcSum()) {
                throw new OperationFailedException(sst.path() + " holds other KVs than its set's manifest says; run"
                        + " sluice verify on the set");
            }
            return rewritten;
        }
    }
}
