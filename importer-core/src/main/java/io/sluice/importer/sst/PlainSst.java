package io.sluice.importer.sst;

import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.RunCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.PlainFrame;
import io.sluice.model.plain.PlainKvs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * SSTs of plain KVs, for databases other than Sluice's. They are made from SSTs of framed KVs, and read back as such:
 * so the checks of an import cover them.
 */
public final class PlainSst {
    private PlainSst() {}

    /**
     * Writes the plain KVs of an SST into a file of the same id; the SST's own file stays.
     *
     * @param directory directory of the new file
     * @return the new SST; its checksum is that of the framed KVs
     * @throws OperationFailedException if a KV does not agree with its checksum
     */
    public static SstFile write(SstFile sst, PlainKvs plain, Path directory, SstFormat format) throws IOException {
        IndexDigest digest = IndexDigest.of(plain.table(), 0);
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digest);
        int prefixBytes = plain.frame().prefixBytes();
        byte[] entry = new byte[1 << 10];
        try (SstOutput output = format.create(directory, sst.id());
                RunCursor cursor = new SstRun(sst).cursor(null, null)) {
            while (cursor.advance()) {
                byte[] buffer = cursor.buffer();
                int at = cursor.keyOffset();
                if (!sum.addIntact(buffer, at, cursor.keyLength(), cursor.valueLength())) {
                    throw digest.damaged(buffer, at, cursor.keyLength(), "the plain SST");
                }
                int keyLength = cursor.keyLength() - prefixBytes;
                int valueLength = cursor.valueLength() - PlainFrame.HEADER_BYTES;
                if (entry.length < keyLength + valueLength) {
                    entry = new byte[2 * (keyLength + valueLength)];
                }
                System.arraycopy(buffer, at + prefixBytes, entry, 0, keyLength);
                int valueAt = at + cursor.keyLength() + PlainFrame.HEADER_BYTES;
                System.arraycopy(buffer, valueAt, entry, keyLength, valueLength);
                output.add(entry, 0, keyLength, valueLength);
            }
            if (!sum.sum().equals(sst.sum())) {
                throw new OperationFailedException(
                        sst.path() + " holds other KVs than were written to it; check the disk, and build again");
            }
            SstOutput.Finished written = output.finish();
            int crc32c = written.bytes().crc32c();
            return new SstFile(
                    sst.id(),
                    new SstBytes.OnDisk(directory.resolve(sst.id() + ".sst"), crc32c),
                    sst.indexId(),
                    tail(sst.smallestKey(), prefixBytes),
                    tail(sst.largestKey(), prefixBytes),
                    written.length(),
                    sst.sum(),
                    sst.samples().stream().map(key -> tail(key, prefixBytes)).toList());
        }
    }

    private static byte[] tail(byte[] key, int from) {
        return Arrays.copyOfRange(key, from, key.length);
    }

    /** Reads the KVs of a plain SST in frames, whose CRCs are computed from what the file holds. */
    public static RunCursor framed(SstFile sst, PlainKvs plain) throws IOException {
        return new Framed(new SstRun(sst).cursor(null, null), plain.frame());
    }

    private static final class Framed extends RunCursor {
        private final RunCursor bare;
        private final PlainFrame frame;
        private byte[] entry = new byte[1 << 10];

        Framed(RunCursor bare, PlainFrame frame) {
            this.bare = bare;
            this.frame = frame;
        }

        @Override
        public boolean advance() throws IOException {
            if (!bare.advance()) {
                return false;
            }
            int length = frame.bytes() + bare.keyLength() + bare.valueLength();
            if (entry.length < length) {
                entry = new byte[2 * length];
            }
            int keyAt = frame.putPrefix(entry, 0);
            System.arraycopy(bare.buffer(), bare.keyOffset(), entry, keyAt, bare.keyLength());
            int valueAt = keyAt + bare.keyLength();
            int from = bare.keyOffset() + bare.keyLength();
            System.arraycopy(bare.buffer(), from, entry, valueAt + PlainFrame.HEADER_BYTES, bare.valueLength());
            frame.putHeader(entry, 0, valueAt, length);
            set(entry, 0, valueAt, length - valueAt);
            return true;
        }

        @Override
        public void close() throws IOException {
            bare.close();
        }
    }
}
