package io.sluice.model.row;

import java.math.BigInteger;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One typed row, reused for all rows: slots by column position, no object per row or datum.
 *
 * <p>A slot holds NULL or a value in the form of its column's type:
 *
 * <ul>
 *   <li>INT*, BOOL (0 or 1), DATE (days since 1970-01-01), TIME (microseconds since midnight): {@link #setLong}
 *   <li>FLOAT*: {@link #setDouble}
 *   <li>DECIMAL: {@link #setDecimal(int, long, int)}, or the wide and special forms
 *   <li>TIMESTAMP, TIMESTAMPTZ: {@link #setTimestamp}, UTC
 *   <li>TIMETZ: {@link #setTimetz}
 *   <li>INTERVAL: {@link #setInterval}
 *   <li>UUID: {@link #setUuid}
 *   <li>INET: {@link #setBytes}, as family (0: IPv4, 1: IPv6), length of the prefix, and 4 or 16 bytes
 *   <li>BIT: {@link #setBytes}, as digits 0 and 1
 *   <li>JSON, ARRAY: {@link #setBytes}, in their binary form
 *   <li>STRING, BYTES: {@link #setBytes}, a view. The row does not own the bytes: they must not change until the row is
 *       encoded. Decoders take room for unescaped bytes from {@link #scratch}.
 * </ul>
 *
 * <p>Not thread-safe. Getters do not check that the slot was set in the form that they read.
 */
public final class Row {
    /** The form of a slot's value. */
    public enum Form {
        NULL,
        /** The form that the type's setter stores. */
        VALUE,
        /** A DECIMAL whose coefficient does not fit a long; see {@link Row#bigCoefficient}. */
        BIG_DECIMAL,
        DECIMAL_NAN,
        DECIMAL_POSITIVE_INFINITY,
        DECIMAL_NEGATIVE_INFINITY
    }

    private static final byte[] NOTHING = new byte[0];
    private static final int FIRST_SCRATCH_BYTES = 4 << 10;

    private final Form[] forms;
    private final long[] first;
    private final long[] second;
    private final int[] small;
    private final int[] lengths;
    private final byte[][] views;
    private final @Nullable BigInteger[] big;
    /** Allocated on first use; many rows never need it. */
    private byte[] scratch = NOTHING;

    private int scratchUsed;

    public Row(int columns) {
        forms = new Form[columns];
        first = new long[columns];
        second = new long[columns];
        small = new int[columns];
        lengths = new int[columns];
        views = new byte[columns][];
        big = new BigInteger[columns];
        Arrays.fill(views, NOTHING);
        clear();
    }

    public int columns() {
        return forms.length;
    }

    /** Sets every slot to NULL and reclaims the scratch buffer. */
    public void clear() {
        Arrays.fill(forms, Form.NULL);
        scratchUsed = 0;
    }

    public Form form(int column) {
        return forms[column];
    }

    public boolean isNull(int column) {
        return forms[column] == Form.NULL;
    }

    public void setNull(int column) {
        forms[column] = Form.NULL;
    }

    public void setLong(int column, long value) {
        forms[column] = Form.VALUE;
        first[column] = value;
    }

    public long longValue(int column) {
        return first[column];
    }

    public void setDouble(int column, double value) {
        forms[column] = Form.VALUE;
        first[column] = Double.doubleToRawLongBits(value);
    }

    public double doubleValue(int column) {
        return Double.longBitsToDouble(first[column]);
    }

    /** Sets the finite decimal {@code coefficient * 10^exponent}. */
    public void setDecimal(int column, long coefficient, int exponent) {
        forms[column] = Form.VALUE;
        first[column] = coefficient;
        small[column] = exponent;
    }

    /** Sets the finite decimal {@code coefficient * 10^exponent}; for coefficients that do not fit a long. */
    public void setBigDecimal(int column, BigInteger coefficient, int exponent) {
        if (coefficient.bitLength() < Long.SIZE) {
            setDecimal(column, coefficient.longValue(), exponent);
            return;
        }
        forms[column] = Form.BIG_DECIMAL;
        big[column] = coefficient;
        small[column] = exponent;
    }

    /** Sets a DECIMAL that is NaN or infinite. */
    public void setSpecialDecimal(int column, Form form) {
        forms[column] = form;
    }

    /** Coefficient of a finite decimal in form {@link Form#VALUE}. */
    public long coefficient(int column) {
        return first[column];
    }

    /** Coefficient of a decimal in form {@link Form#BIG_DECIMAL}. */
    public BigInteger bigCoefficient(int column) {
        BigInteger coefficient = big[column];
        if (coefficient == null) {
            throw new IllegalStateException("column " + column + " holds no wide decimal");
        }
        return coefficient;
    }

    /** Exponent of ten of a finite decimal. */
    public int exponent(int column) {
        return small[column];
    }

    /** Sets a point in time: seconds since 1970-01-01 UTC, rounded down, plus nanoseconds 0..999,999,999. */
    public void setTimestamp(int column, long seconds, int nanos) {
        forms[column] = Form.VALUE;
        first[column] = seconds;
        small[column] = nanos;
    }

    public long seconds(int column) {
        return first[column];
    }

    public int nanos(int column) {
        return small[column];
    }

    /**
     * Sets a time of day in a zone.
     *
     * @param micros microseconds since midnight in the zone
     * @param westSeconds what is added to the time to get UTC
     */
    public void setTimetz(int column, long micros, int westSeconds) {
        forms[column] = Form.VALUE;
        first[column] = micros;
        small[column] = westSeconds;
    }

    public int westSeconds(int column) {
        return small[column];
    }

    /** Sets an interval; the nanoseconds are whole microseconds. */
    public void setInterval(int column, int months, int days, long nanos) {
        forms[column] = Form.VALUE;
        first[column] = nanos;
        second[column] = ((long) months << Integer.SIZE) | (days & 0xffff_ffffL);
    }

    public int months(int column) {
        return (int) (second[column] >> Integer.SIZE);
    }

    public int days(int column) {
        return (int) second[column];
    }

    /** Nanoseconds of an interval, without those of its months and days. */
    public long intervalNanos(int column) {
        return first[column];
    }

    /** Sets a UUID by its first and last eight bytes, big-endian. */
    public void setUuid(int column, long mostSignificant, long leastSignificant) {
        forms[column] = Form.VALUE;
        first[column] = mostSignificant;
        second[column] = leastSignificant;
    }

    public long uuidMost(int column) {
        return first[column];
    }

    public long uuidLeast(int column) {
        return second[column];
    }

    /** Points the slot at bytes that the caller owns. */
    public void setBytes(int column, byte[] buffer, int offset, int length) {
        forms[column] = Form.VALUE;
        views[column] = buffer;
        small[column] = offset;
        lengths[column] = length;
    }

    public byte[] buffer(int column) {
        return views[column];
    }

    public int offset(int column) {
        return small[column];
    }

    public int length(int column) {
        return lengths[column];
    }

    /**
     * Reserves bytes in the row's scratch buffer, valid until {@link #clear}. Growing allocates a new array: views into
     * the old one stay valid, but callers must call {@link #scratchBuffer} again after every call.
     *
     * @return offset of {@code length} writable bytes in {@link #scratchBuffer}
     */
    public int scratch(int length) {
        if (scratch.length - scratchUsed < length) {
            scratch = new byte[Math.max(Math.max(length, FIRST_SCRATCH_BYTES), 2 * scratch.length)];
            scratchUsed = 0;
        }
        int offset = scratchUsed;
        scratchUsed += length;
        return offset;
    }

    public byte[] scratchBuffer() {
        return scratch;
    }

    /** Copies a slot of another row, whose column has a type of the same form; bytes are shared. */
    public void copySlot(int column, Row other, int from) {
        Form form = other.forms[from];
        forms[column] = form;
        first[column] = other.first[from];
        second[column] = other.second[from];
        small[column] = other.small[from];
        lengths[column] = other.lengths[from];
        byte[] view = other.views[from];
        if (views[column] != view) {
            views[column] = view;
        }
        if (form == Form.BIG_DECIMAL) {
            big[column] = other.big[from];
        }
    }

    /** Copies all slots of another row with the same number of columns; byte views are shared. */
    public void copyFrom(Row other) {
        System.arraycopy(other.forms, 0, forms, 0, forms.length);
        System.arraycopy(other.first, 0, first, 0, first.length);
        System.arraycopy(other.second, 0, second, 0, second.length);
        System.arraycopy(other.small, 0, small, 0, small.length);
        System.arraycopy(other.lengths, 0, lengths, 0, lengths.length);
        System.arraycopy(other.views, 0, views, 0, views.length);
        System.arraycopy(other.big, 0, big, 0, big.length);
    }
}
