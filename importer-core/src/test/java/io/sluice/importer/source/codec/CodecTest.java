package io.sluice.importer.source.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every codec gives back what went in, however many members hold it, or says that it cannot. */
class CodecTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private static byte[] rows(int count, long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i)
                    .append(',')
                    .append(Long.toHexString(random.nextLong()))
                    .append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] concat(List<byte[]> parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part);
        }
        return all.toByteArray();
    }

    private static byte[] decode(Codec codec, byte[] stored) throws IOException {
        CountingStream counted = new CountingStream(new ByteArrayInputStream(stored));
        try (InputStream in = new DecodingStream(codec, counted, counted)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void oneMember(Codec codec) throws IOException {
        byte[] plain = rows(20_000, SEED);
        byte[] stored = Compressed.by(codec, plain);
        assertEquals(codec, Codec.ofMagic("f", stored, stored.length));
        assertArrayEquals(plain, decode(codec, stored));
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void manyMembers(Codec codec) throws IOException {
        byte[] first = rows(5_000, SEED);
        byte[] last = rows(1, SEED + 1);
        byte[] stored = concat(
                List.of(Compressed.by(codec, first), Compressed.by(codec, new byte[0]), Compressed.by(codec, last)));
        assertArrayEquals(concat(List.of(first, last)), decode(codec, stored));
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void noContent(Codec codec) throws IOException {
        byte[] stored = Compressed.by(codec, new byte[0]);
        assertEquals(codec, Codec.ofMagic("f", stored, stored.length));
        assertEquals(0, decode(codec, stored).length);
    }

    /**
     * A cut that the codec does not report is between two members. Snappy's format does not mark the end of a file: a
     * cut between two chunks is not detected.
     */
    @ParameterizedTest
    @EnumSource(Codec.class)
    void cutOffAnywhere(Codec codec) throws IOException {
        byte[] plain = rows(20, SEED);
        byte[] member = Compressed.by(codec, plain);
        byte[] stored = concat(List.of(member, member));
        for (int length = 1; length < stored.length; length++) {
            byte[] cut = Arrays.copyOf(stored, length);
            try {
                byte[] decoded = decode(codec, cut);
                assertEquals(0, decoded.length % plain.length, codec + " cut at " + length);
                assertTrue(length == member.length || codec == Codec.SNAPPY, codec + " cut at " + length);
            } catch (CorruptInputException e) {
                assertTrue(String.valueOf(e.getMessage()).contains(codec.label()), e.toString());
            }
        }
    }

    /** A damaged byte is reported, or does not change the decoded text. Decoding never hangs or fails otherwise. */
    @ParameterizedTest
    @EnumSource(Codec.class)
    void damagedAnywhere(Codec codec) throws IOException {
        byte[] plain = rows(200, SEED);
        byte[] stored = Compressed.by(codec, plain);
        Random random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            byte[] damaged = stored.clone();
            int at = random.nextInt(damaged.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            try {
                assertArrayEquals(plain, decode(codec, damaged), codec + ", byte " + at + ", seed " + SEED);
            } catch (CorruptInputException e) {
                assertTrue(String.valueOf(e.getMessage()).contains("byte"), e.toString());
            }
        }
    }

    @Test
    void largeWindowIsNotCalledDamage() {
        // A frame header with a window of 2^28 bytes, and a last block of one raw byte.
        byte[] stored = HexFormat.of().parseHex("28b52ffd" + "0090" + "090000" + "61");
        CorruptInputException e = assertThrows(CorruptInputException.class, () -> decode(Codec.ZSTD, stored));
        assertTrue(String.valueOf(e.getMessage()).contains("takes more memory to decompress"), e.toString());
    }

    /** Snappy's decoder skips chunks of reserved types: one flipped bit would hide a chunk of data. */
    @Test
    void snappyChunkOfReservedTypeIsReported() throws IOException {
        byte[] damaged = Compressed.by(Codec.SNAPPY, rows(200, SEED));
        damaged[10] ^= (byte) 0x80; // the type of the first chunk after the stream identifier
        CorruptInputException e = assertThrows(CorruptInputException.class, () -> decode(Codec.SNAPPY, damaged));
        assertTrue(String.valueOf(e.getMessage()).contains("is reserved"), e.toString());
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void whatFollowsTheLastMemberIsNotPassedOver(Codec codec) throws IOException {
        byte[] stored = concat(List.of(Compressed.by(codec, rows(10, SEED)), rows(3, SEED)));
        assertThrows(CorruptInputException.class, () -> decode(codec, stored), codec.label());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 12, 500, 200_000})
    void zeroBytesAfterTheLastMemberOfGzipArePadding(int zeros) throws IOException {
        byte[] plain = rows(10, SEED);
        byte[] member = Compressed.by(Codec.GZIP, plain);
        assertArrayEquals(plain, decode(Codec.GZIP, concat(List.of(member, new byte[zeros]))));
        byte[] goesOn = concat(List.of(member, new byte[zeros], member));
        CorruptInputException e = assertThrows(CorruptInputException.class, () -> decode(Codec.GZIP, goesOn));
        assertTrue(String.valueOf(e.getMessage()).contains("other bytes follow zero bytes"), e.toString());
    }

    @ParameterizedTest
    @CsvSource({"rows.csv.lz4, LZ4", "rows.csv.zst, ZSTD", "rows.csv, ZSTD"})
    void skippableFramesBeginWhatTheNameSays(String name, Codec codec) throws IOException {
        byte[] plain = rows(10, SEED);
        byte[] skippable = HexFormat.of().parseHex("512a4d18" + "03000000" + "6c7a34");
        byte[] frame = Compressed.by(codec, plain);
        byte[] stored = concat(List.of(skippable, skippable, frame, skippable, frame, skippable));
        assertEquals(codec, Codec.ofMagic(name, stored, stored.length));
        assertArrayEquals(concat(List.of(plain, plain)), decode(codec, stored));
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void aFailedDiskIsNotTakenForDamage(Codec codec) throws IOException {
        byte[] stored = Compressed.by(codec, rows(50_000, SEED));
        IOException broken = new IOException("the disk is gone");
        InputStream failing = new InputStream() {
            private int position;

            @Override
            public int read() throws IOException {
                if (position == stored.length / 2) {
                    throw broken;
                }
                return stored[position++] & 0xff;
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                buffer[offset] = (byte) read();
                return 1;
            }
        };
        CountingStream counted = new CountingStream(failing);
        try (InputStream in = new DecodingStream(codec, counted, counted)) {
            assertEquals(broken, assertThrows(IOException.class, in::readAllBytes));
        }
    }

    @Test
    void textIsNotTakenForCompressed() {
        for (String text : List.of("", "1,a\n", "BZh9,a\n", "(,b\n", "\ufeff1,2", "PK\u0003\u0004")) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            assertNull(Codec.ofMagic("f", bytes, bytes.length), text);
        }
    }
}
