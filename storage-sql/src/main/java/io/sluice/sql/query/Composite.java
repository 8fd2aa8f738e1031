package io.sluice.sql.query;

import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;

/**
 * A JSON document or an array. Its text is a normal form of the value, except that numbers keep trailing zeros.
 *
 * @param numeric whether the text has numbers outside of quotes
 */
record Composite(String text, boolean numeric) {
    static Composite of(String text, ColumnType type) {
        TypeKind kind = type.kind() == TypeKind.ARRAY ? type.elementType().kind() : type.kind();
        return new Composite(
                text,
                switch (kind) {
                    case JSON, DECIMAL, FLOAT4, FLOAT8 -> true;
                    default -> false;
                });
    }

    /** Returns a text that is equal for equal values: 1, 1.0 and 1e0 become the same number. */
    String canonical() {
        if (!numeric) {
            return text;
        }
        StringBuilder canonical = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            int end = at + 1;
            if (text.charAt(at) == '"') {
                end = quoteEnd(at);
                canonical.append(text, at, end);
            } else if (isNumber(at)) {
                end = numberEnd(at);
                BigDecimal number = new BigDecimal(text.substring(at, end));
                canonical.append(number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros());
            } else {
                canonical.append(text.charAt(at));
            }
            at = end;
        }
        return canonical.toString();
    }

    private int quoteEnd(int from) {
        int at = from + 1;
        while (text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return at + 1;
    }

    /** A minus sign may also stand before Infinity. */
    private boolean isNumber(int at) {
        return isDigit(at) || (text.charAt(at) == '-' && isDigit(at + 1));
    }

    private boolean isDigit(int at) {
        return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
    }

    private int numberEnd(int from) {
        int end = from + 1;
        while (end < text.length() && (isDigit(end) || ".eE+-".indexOf(text.charAt(end)) >= 0)) {
            end++;
        }
        return end;
    }
}
