package io.sluice.grammar;

/**
 * Finds where statements of a script end while the script arrives in parts. Each character is scanned once, because the
 * scanner remembers an open quote, comment or statement. It reads quotes and comments as {@link SqlScript} does. Not
 * thread-safe.
 */
public final class StatementScanner {
    /** Token or comment that the next character continues. */
    private enum State {
        PLAIN,
        /** After a minus sign, which begins a comment if another one follows. */
        MINUS,
        /** After a slash, which begins a comment if an asterisk follows. */
        SLASH,
        TEXT,
        NAME,
        LINE_COMMENT,
        BLOCK_COMMENT,
        /** After an asterisk in a block comment. */
        ASTERISK,
        /** After a slash in a block comment, which begins another one if an asterisk follows. */
        INNER_SLASH
    }

    private State state = State.PLAIN;
    /** Block comments that are open, each in the one before. */
    private int open;
    /** Whether a statement has begun that no semicolon has ended. */
    private boolean within;

    /**
     * Scans the next part of the script, which follows the part of the previous call.
     *
     * @param from start of the part in the text; the part ends with the text
     * @return the end of the last statement, comment or blank in the part after which nothing is open; -1 if there is
     *     none
     */
    public int scan(CharSequence text, int from) {
        int end = -1;
        for (int at = from; at < text.length(); at++) {
            take(text.charAt(at));
            if (state == State.PLAIN && !within) {
                end = at + 1;
            }
        }
        return end;
    }

    private void take(char c) {
        state = switch (state) {
            case PLAIN -> plain(c);
            case MINUS -> c == '-' ? State.LINE_COMMENT : operator(c);
            case SLASH -> c == '*' ? opened() : operator(c);
            // A doubled quote closes one text and opens the next, which comes to the same.
            case TEXT -> c == '\'' ? State.PLAIN : State.TEXT;
            case NAME -> c == '"' ? State.PLAIN : State.NAME;
            case LINE_COMMENT -> c == '\n' ? State.PLAIN : State.LINE_COMMENT;
            case BLOCK_COMMENT -> inComment(c);
            case ASTERISK -> c == '/' ? closed() : inComment(c);
            case INNER_SLASH -> c == '*' ? opened() : inComment(c);
        };
    }

    private State opened() {
        open++;
        return State.BLOCK_COMMENT;
    }

    private State closed() {
        return --open == 0 ? State.PLAIN : State.BLOCK_COMMENT;
    }

    private static State inComment(char c) {
        return c == '*' ? State.ASTERISK : c == '/' ? State.INNER_SLASH : State.BLOCK_COMMENT;
    }

    /** The character before was no comment, so it belongs to a statement. */
    private State operator(char c) {
        within = true;
        return plain(c);
    }

    private State plain(char c) {
        return switch (c) {
            case '-' -> State.MINUS;
            case '/' -> State.SLASH;
            case ';' -> {
                within = false;
                yield State.PLAIN;
            }
            default -> {
                within |= !SqlScript.isBlank(c);
                yield c == '\'' ? State.TEXT : c == '"' ? State.NAME : State.PLAIN;
            }
        };
    }
}
