package io.sluice.importer.decode;

import io.sluice.model.error.BadInputException;
import java.math.BigDecimal;

/** The limit of rejects of an import. */
public sealed interface RejectLimit {
    /** No rejects allowed. */
    RejectLimit NONE = new Count(0);

    /** No limit. */
    RejectLimit UNLIMITED = new Count(Long.MAX_VALUE);

    /**
     * Whether the limit is exceeded.
     *
     * @param rejects number of rejects so far, in the order of the input
     * @param records number of records up to the last reject, good and bad
     * @param atEnd whether that is the whole input
     */
    boolean exceeded(long rejects, long records, boolean atEnd);

    /** The limit as the option takes it. */
    String label();

    /** A limit by number. */
    record Count(long most) implements RejectLimit {
        @Override
        public boolean exceeded(long rejects, long records, boolean atEnd) {
            return rejects > most;
        }

        @Override
        public String label() {
            return Long.toString(most);
        }
    }

    /**
     * A limit by share of the records, checked at the end of the input. To end a hopeless import early, it also applies
     * at each reject after {@value #LEAST_RECORDS} records, with twice the share. Both checks depend on the input
     * alone.
     */
    record Share(BigDecimal percent) implements RejectLimit {
        /** Before this number of records, a few bad ones would weigh too much. */
        static final int LEAST_RECORDS = 10_000;

        /** Bad rows may be denser at the start of a file than overall. */
        private static final long EARLY_FACTOR = 2;

        private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

        @Override
        public boolean exceeded(long rejects, long records, boolean atEnd) {
            if (!atEnd && records < LEAST_RECORDS) {
                return false;
            }
            BigDecimal most = percent.multiply(BigDecimal.valueOf(atEnd ? records : EARLY_FACTOR * records));
            return BigDecimal.valueOf(rejects).multiply(HUNDRED).compareTo(most) > 0;
        }

        @Override
        public String label() {
            return percent.toPlainString() + "%";
        }
    }

    /**
     * Parses {@code N} or {@code P%}.
     *
     * @throws BadInputException for any other form
     */
    static RejectLimit parse(String text) {
        try {
            if (text.endsWith("%")) {
                BigDecimal percent = new BigDecimal(text.substring(0, text.length() - 1));
                if (percent.signum() >= 0 && percent.compareTo(Share.HUNDRED) <= 0) {
                    return new Share(percent);
                }
            } else if (Long.parseLong(text) >= 0) {
                return new Count(Long.parseLong(text));
            }
        } catch (NumberFormatException e) {
            throw new BadInputException(refused(text), e);
        }
        throw new BadInputException(refused(text));
    }

    private static String refused(String text) {
        return "--max-rejects " + text + ": must be a number from 0, or a share of the records such as 0.5%";
    }
}
