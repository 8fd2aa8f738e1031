package io.sluice.importer.decode;

import io.sluice.api.error.BadInputException;
import java.math.BigDecimal;

/** How many rejects an import puts up with. */
public sealed interface RejectLimit {
    /** Not a single one. */
    RejectLimit NONE = new Count(0);

    /** Any number. */
    RejectLimit UNLIMITED = new Count(Long.MAX_VALUE);

    /**
     * Whether there are too many.
     *
     * @param rejects how many there were so far, in the order of the input
     * @param records how many records there were up to the last reject, good and bad
     * @param atEnd whether that is the whole input
     */
    boolean exceeded(long rejects, long records, boolean atEnd);

    /** The limit as the option takes it. */
    String label();

    /** A number of rejects. */
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
     * A share of the records, judged over the whole input at its end. So that a hopeless import ends soon, it also ends
     * at the first reject behind {@value #LEAST_RECORDS} records at which the share of the records up to there is more
     * than twice the limit. Both depend on the input alone.
     */
    record Share(BigDecimal percent) implements RejectLimit {
        /** Before that many records a few bad ones at the beginning would weigh too much. */
        static final int LEAST_RECORDS = 10_000;

        /** Bad rows may stand closer in the beginning of a file than over all of it. */
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
     * Reads {@code N} or {@code P%}.
     *
     * @throws BadInputException when it is neither
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
