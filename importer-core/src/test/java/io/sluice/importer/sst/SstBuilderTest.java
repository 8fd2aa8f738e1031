package io.sluice.importer.sst;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An SST in memory is the SST that a file would hold, without one. */
class SstBuilderTest {
    private static final Table TABLE = table();
    private static final int ROWS = 100_000;

    /** Key and value of one row. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Kv(byte[] bytes, int keyLength) {}

    private static Table table() {
        var defs = Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY, b INT)", "test");
        return Table.inNewStore(defs, defs.get(0));
    }

    private static List<Kv> kvs() {
        IndexEncoder encoder = IndexEncoder.ofAll(TABLE).get(0);
        List<Kv> kvs = new ArrayList<>();
        byte[] buffer = new byte[1 << 10];
        Row row = new Row(2);
        for (int i = 0; i < ROWS; i++) {
            row.clear();
            row.setLong(0, 37L * i);
            row.setLong(1, -i);
            long lengths = encoder.encode(row, buffer, 0);
            kvs.add(new Kv(Arrays.copyOf(buffer, (int) (lengths >>> 32) + (int) lengths), (int) (lengths >>> 32)));
        }
        return kvs;
    }

    private static SstFile build(SstFormat format, Path directory) throws IOException {
        try (SstBuilder builder = new SstBuilder(directory, IndexDigest.of(TABLE, 0), format)) {
            for (Kv kv : kvs()) {
                builder.add(kv.bytes(), 0, kv.keyLength(), kv.bytes().length - kv.keyLength());
            }
            return builder.finish();
        }
    }

    private static byte[] bytes(SstFile sst) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ByteBuffer chunk : ((SstBytes.InMemory) sst.bytes()).chunks()) {
            out.write(chunk.array(), chunk.arrayOffset() + chunk.position(), chunk.remaining());
        }
        return out.toByteArray();
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** The bytes without the session id, which is made from the SST's id. */
    private static byte[] withoutId(byte[] bytes, SstFile sst) {
        byte[] id = new BigInteger(sst.id().toString().replace("-", ""), 16)
                .toString(36)
                .toUpperCase(Locale.ROOT)
                .getBytes(StandardCharsets.US_ASCII);
        byte[] part = Arrays.copyOfRange(id, id.length - 20, id.length);
        for (int i = 0; i + part.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + part.length, part, 0, part.length)) {
                byte[] same = bytes.clone();
                Arrays.fill(same, i, i + part.length, (byte) 0);
                // The checksum of the properties' block covers the id; it stands before the index of meta blocks.
                return Arrays.copyOf(same, i);
            }
        }
        throw new AssertionError("no session id");
    }

    @Test
    void memoryHoldsTheBytesOfTheFile(@TempDir Path directory) throws IOException {
        try (SstFormat inFiles = new SstFormat(SstFormat.Writer.JAVA, SstFormat.Place.FILES);
                SstFormat inMemory = new SstFormat(SstFormat.Writer.JAVA, SstFormat.Place.MEMORY)) {
            SstFile file = build(inFiles, directory);
            SstFile memory = build(inMemory, directory);
            byte[] bytes = bytes(memory);
            assertEquals(memory.fileBytes(), bytes.length);
            assertEquals(crc(bytes), memory.bytes().crc32c());
            byte[] read = Files.readAllBytes(file.path());
            assertEquals(crc(read), file.bytes().crc32c());
            assertEquals(crc(read), new SstBytes.OnDisk(file.path()).crc32c(), "computed from the file");
            assertEquals(read.length, bytes.length);
            assertArrayEquals(withoutId(read, file), withoutId(bytes, memory));
            assertEquals(file.sum(), memory.sum());
            try (Stream<Path> files = Files.list(directory)) {
                assertEquals(List.of(file.path()), files.toList());
            }
        }
    }

    /** Memory of a finished SST is used again, unless a broken send may still read it. */
    @Test
    void memoryIsUsedAgainOnlyWhenNobodyReadsIt(@TempDir Path directory) throws IOException {
        try (SstFormat format = new SstFormat(SstFormat.Writer.JAVA, SstFormat.Place.MEMORY)) {
            SstFile first = build(format, directory);
            SstBytes.InMemory broken = (SstBytes.InMemory) first.bytes();
            byte[] before = bytes(first);
            broken.sendBroken();
            broken.release();
            SstFile second = build(format, directory);
            assertArrayEquals(before, bytes(first), "a broken send reads what it began with");
            ByteBuffer used = ((SstBytes.InMemory) second.bytes()).chunks().get(0);
            ((SstBytes.InMemory) second.bytes()).release();
            SstFile third = build(format, directory);
            assertTrue(
                    ((SstBytes.InMemory) third.bytes()).chunks().stream().anyMatch(chunk -> isSame(chunk, used)),
                    "no chunk was used again");
        }
    }

    private static boolean isSame(ByteBuffer one, ByteBuffer other) {
        return one.array() == other.array() && one.arrayOffset() == other.arrayOffset();
    }

    @Test
    void sstInMemoryIsCut(@TempDir Path directory) throws IOException {
        try (SstFormat format = new SstFormat(SstFormat.Writer.JAVA, SstFormat.Place.MEMORY)) {
            SstFile sst = build(format, directory);
            List<Kv> kvs = kvs();
            byte[] border =
                    Arrays.copyOf(kvs.get(ROWS / 3).bytes(), kvs.get(ROWS / 3).keyLength());
            List<SstFile> parts = new SstCutter(directory, TABLE, format).cut(sst, List.of(border));
            assertEquals(
                    List.of((long) ROWS / 3, (long) ROWS - ROWS / 3),
                    parts.stream().map(part -> part.sum().count()).toList());
            assertArrayEquals(border, parts.get(1).smallestKey());
            assertEquals(sst.sum(), parts.stream().map(SstFile::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus));
            try (Stream<Path> files = Files.list(directory).sorted(Comparator.naturalOrder())) {
                assertEquals(List.of(), files.toList(), "the file that was cut is gone");
            }
        }
    }
}
