package io.sluice.model.text;

import io.sluice.model.row.Row;
import org.jspecify.annotations.Nullable;

/**
 * Parses INET: an IPv4 or IPv6 address, optionally with the length of its prefix after a slash. The slot has the family
 * (0 or 1), the length of the prefix and the 4 or 16 bytes of the address.
 */
final class InetParser implements DatumParser {
    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int HEADER_BYTES = 2;
    private static final DatumProblem SYNTAX = new DatumProblem(
            DatumProblem.Code.SYNTAX,
            "INET must be an IPv4 or IPv6 address such as 10.0.0.1, 10.0.0.0/8 or 2001:db8::1");

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        int slash = start;
        boolean v6 = false;
        while (slash < end && buffer[slash] != '/') {
            v6 |= buffer[slash++] == ':';
        }
        int size = v6 ? V6_BYTES : V4_BYTES;
        int prefix = Byte.SIZE * size;
        if (slash < end) {
            prefix = number(buffer, slash + 1, end, Byte.SIZE * size);
        }
        int offset = row.scratch(HEADER_BYTES + size);
        byte[] out = row.scratchBuffer();
        int address = offset + HEADER_BYTES;
        if (prefix < 0 || !(v6 ? v6(buffer, start, slash, out, address) : v4(buffer, start, slash, out, address))) {
            return SYNTAX;
        }
        out[offset] = (byte) (v6 ? 1 : 0);
        out[offset + 1] = (byte) prefix;
        row.setBytes(column, out, offset, HEADER_BYTES + size);
        return null;
    }

    /** A decimal number of at most three digits; -1 if it is none or is larger than the limit. */
    private static int number(byte[] buffer, int from, int to, int most) {
        if (from == to || to - from > 3 || Ascii.digitsEnd(buffer, from, to) != to) {
            return -1;
        }
        int value = 0;
        for (int i = from; i < to; i++) {
            value = value * 10 + (buffer[i] - '0');
        }
        return value <= most ? value : -1;
    }

    private static boolean v4(byte[] buffer, int from, int to, byte[] out, int offset) {
        int at = from;
        for (int i = 0; i < V4_BYTES; i++) {
            int next = Ascii.digitsEnd(buffer, at, to);
            int part = number(buffer, at, next, 255);
            boolean last = i == V4_BYTES - 1;
            if (part < 0 || (last ? next != to : next == to || buffer[next] != '.')) {
                return false;
            }
            out[offset + i] = (byte) part;
            at = next + 1;
        }
        return true;
    }

    private static boolean v6(byte[] buffer, int from, int to, byte[] out, int offset) {
        int length = 0;
        int gap = -1;
        int at = from;
        if (to - from >= 2 && buffer[from] == ':' && buffer[from + 1] == ':') {
            gap = 0;
            at = from + 2;
        }
        while (at < to) {
            int next = at;
            int value = 0;
            while (next < to && next - at < 5 && Ascii.hex(buffer[next]) >= 0) {
                value = (value << 4) | Ascii.hex(buffer[next++]);
            }
            if (next < to && buffer[next] == '.') {
                if (length + V4_BYTES > V6_BYTES || !v4(buffer, at, to, out, offset + length)) {
                    return false;
                }
                length += V4_BYTES;
                at = to;
                break;
            }
            if (next == at || next - at > 4 || length == V6_BYTES) {
                return false;
            }
            out[offset + length++] = (byte) (value >> 8);
            out[offset + length++] = (byte) value;
            at = next;
            if (at == to) {
                break;
            }
            if (buffer[at++] != ':' || at == to) {
                return false;
            }
            if (buffer[at] == ':') {
                if (gap >= 0) {
                    return false;
                }
                gap = length;
                at++;
            }
        }
        if (gap < 0) {
            return length == V6_BYTES;
        }
        if (length == V6_BYTES) {
            return false;
        }
        int after = length - gap;
        for (int i = 1; i <= after; i++) {
            out[offset + V6_BYTES - i] = out[offset + length - i];
        }
        for (int i = gap; i < V6_BYTES - after; i++) {
            out[offset + i] = 0;
        }
        return true;
    }

    /** Formats an address as PostgreSQL does: without the prefix if it is the whole address. */
    static String format(byte[] bytes, int offset, int length) {
        boolean v6 = bytes[offset] == 1;
        StringBuilder text = new StringBuilder();
        int address = offset + HEADER_BYTES;
        if (v6) {
            v6(text, bytes, address);
        } else {
            v4(text, bytes, address);
        }
        int prefix = bytes[offset + 1] & 0xff;
        return prefix == Byte.SIZE * (length - HEADER_BYTES)
                ? text.toString()
                : text.append('/').append(prefix).toString();
    }

    private static void v4(StringBuilder text, byte[] bytes, int at) {
        for (int i = 0; i < V4_BYTES; i++) {
            text.append(i == 0 ? "" : ".").append(bytes[at + i] & 0xff);
        }
    }

    /** Writes groups in hex, with the longest run of at least two zero groups as two colons. */
    private static void v6(StringBuilder text, byte[] bytes, int at) {
        int[] groups = new int[V6_BYTES / 2];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = ((bytes[at + 2 * i] & 0xff) << 8) | (bytes[at + 2 * i + 1] & 0xff);
        }
        int best = 0;
        int bestLength = 1;
        for (int i = 0; i < groups.length; i++) {
            int run = 0;
            while (i + run < groups.length && groups[i + run] == 0) {
                run++;
            }
            if (run > bestLength) {
                best = i;
                bestLength = run;
            }
        }
        boolean compressed = bestLength > 1;
        boolean mapped = compressed && best == 0 && (bestLength == 6 || (bestLength == 5 && groups[5] == 0xffff));
        int group = 0;
        while (group < groups.length) {
            if (compressed && group == best) {
                text.append(group == 0 ? "::" : ":");
                group += bestLength;
            } else if (mapped && group == 6) {
                v4(text, bytes, at + 2 * group);
                return;
            } else {
                text.append(Integer.toHexString(groups[group])).append(group == groups.length - 1 ? "" : ":");
                group++;
            }
        }
    }
}
