package io.sluice.tpcc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * CSV rows in an array, appended field by field without making objects. Every field is followed by a comma; the last
 * comma of a row becomes its newline. Nothing here needs quotes. Not safe for use by several threads.
 */
final class CsvBuffer {
    /** {@link #alphanumeric} writes six bytes at a time and so up to five behind a row's end. */
    static final int SLACK_BYTES = 8;

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final short[] PAIRS = pairs();
    private static final int FRACTION_BITS = 52;
    private static final long FRACTION_MASK = (1L << FRACTION_BITS) - 1;
    private static final int PAIRS_PER_DRAW = 3;
    private static final byte[] ORIGINAL = ascii("ORIGINAL");

    private final byte[] bytes;
    private int position;

    CsvBuffer(int capacityBytes) {
        bytes = new byte[capacityBytes + SLACK_BYTES];
    }

    /** The rows so far: the first {@link #length} bytes. Valid until the next append. */
    byte[] array() {
        return bytes;
    }

    int length() {
        return position;
    }

    void clear() {
        position = 0;
    }

    void nullField() {
        bytes[position++] = ',';
    }

    void number(long value) {
        digits(value);
        bytes[position++] = ',';
    }

    /** A decimal given as a whole number of its last digit: 12345 with scale 2 is 123.45. */
    void decimal(long unscaled, int scale) {
        if (unscaled < 0) {
            bytes[position++] = '-';
        }
        long magnitude = Math.abs(unscaled);
        long one = 1;
        for (int i = 0; i < scale; i++) {
            one *= 10;
        }
        digits(magnitude / one);
        bytes[position++] = '.';
        padded(magnitude % one, scale);
        bytes[position++] = ',';
    }

    void text(byte[] ascii) {
        append(ascii);
        bytes[position++] = ',';
    }

    /** Appends several texts as one field. */
    void text(byte[] first, byte[] second, byte[] third) {
        append(first);
        append(second);
        append(third);
        bytes[position++] = ',';
    }

    /** TPC-C's random a-string of a fixed length. */
    void alphanumeric(SplitMix64 random, int length) {
        letters(random, length);
        bytes[position++] = ',';
    }

    /** TPC-C's random a-string of a random length, both limits inclusive. */
    void alphanumeric(SplitMix64 random, int shortest, int longest) {
        alphanumeric(random, random.between(shortest, longest));
    }

    /** An a-string of 26 to 50 characters, of which 10% hold the word ORIGINAL somewhere (clause 4.3.3.1). */
    void originalData(SplitMix64 random) {
        int length = random.between(26, 50);
        int from = position;
        letters(random, length);
        if (random.oneInTen()) {
            System.arraycopy(ORIGINAL, 0, bytes, from + random.between(0, length - ORIGINAL.length), ORIGINAL.length);
        }
        bytes[position++] = ',';
    }

    /** Two random upper-case letters: a state. */
    void state(SplitMix64 random) {
        bytes[position++] = (byte) ('A' + random.below(26));
        bytes[position++] = (byte) ('A' + random.below(26));
        bytes[position++] = ',';
    }

    /** TPC-C's zip code: four random digits and 11111. */
    void zip(SplitMix64 random) {
        padded(random.below(10_000), 4);
        padded(11111, 5);
        bytes[position++] = ',';
    }

    /** TPC-C's random n-string. */
    void numeric(SplitMix64 random, int length) {
        for (int i = 0; i < length; i++) {
            bytes[position++] = (byte) ('0' + random.below(10));
        }
        bytes[position++] = ',';
    }

    /** A timestamp with microseconds, {@code 2020-02-29 12:34:56.789012}. */
    void timestamp(long epochMicros) {
        long seconds = Math.floorDiv(epochMicros, 1_000_000L);
        long day = Math.floorDiv(seconds, 86_400L);
        int second = (int) (seconds - day * 86_400L);
        // Days to civil date, Howard Hinnant's algorithm: years begin in March, eras have 400 years.
        long shifted = day + 719_468;
        long era = Math.floorDiv(shifted, 146_097L);
        int dayOfEra = (int) (shifted - era * 146_097);
        int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int marchMonth = (5 * dayOfYear + 2) / 153;
        int month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
        padded(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), 4);
        bytes[position++] = '-';
        padded(month, 2);
        bytes[position++] = '-';
        padded(dayOfYear - (153 * marchMonth + 2) / 5 + 1, 2);
        bytes[position++] = ' ';
        padded(second / 3600, 2);
        bytes[position++] = ':';
        padded(second / 60 % 60, 2);
        bytes[position++] = ':';
        padded(second % 60, 2);
        bytes[position++] = '.';
        padded(Math.floorMod(epochMicros, 1_000_000L), 6);
        bytes[position++] = ',';
    }

    void endRow() {
        bytes[position - 1] = '\n';
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void append(byte[] ascii) {
        System.arraycopy(ascii, 0, bytes, position, ascii.length);
        position += ascii.length;
    }

    /**
     * Six letters from one draw: 52 of its bits are a fraction that is multiplied by 62 * 62 three times, and the whole
     * part picks a pair of letters. The fraction loses 36 bits on the way, so no pair is favoured by more than 2^-16.
     */
    private void letters(SplitMix64 random, int length) {
        int at = position;
        int end = at + length;
        while (at < end) {
            long fraction = random.next() >>> (Long.SIZE - FRACTION_BITS);
            for (int i = 0; i < PAIRS_PER_DRAW; i++) {
                fraction *= PAIRS.length;
                SHORT.set(bytes, at, PAIRS[(int) (fraction >>> FRACTION_BITS)]);
                fraction &= FRACTION_MASK;
                at += Short.BYTES;
            }
        }
        position = end;
    }

    private void digits(long value) {
        if (value < 0) {
            bytes[position++] = '-';
        }
        long rest = Math.abs(value);
        int digits = 1;
        for (long limit = 10; digits < 18 && rest >= limit; limit *= 10) {
            digits++;
        }
        padded(rest, digits);
    }

    private void padded(long value, int digits) {
        long rest = value;
        for (int at = position + digits - 1; at >= position; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        position += digits;
    }

    private static short[] pairs() {
        int letters = ALPHABET.length();
        short[] pairs = new short[letters * letters];
        byte[] pair = new byte[Short.BYTES];
        for (int i = 0; i < pairs.length; i++) {
            pair[0] = (byte) ALPHABET.charAt(i / letters);
            pair[1] = (byte) ALPHABET.charAt(i % letters);
            pairs[i] = (short) SHORT.get(pair, 0);
        }
        return pairs;
    }
}
