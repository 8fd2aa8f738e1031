package io.sluice.api.error;

import java.util.regex.Pattern;

/** What libraries say of a failure, in words that a user may read: without names of classes and of their methods. */
public final class Reasons {
    /** Names of the packages that failures come from. */
    private static final Pattern CLASS = Pattern.compile("(?:class"
            + " )?\\b(?:java|javax|jdk|sun|io\\.sluice|com\\.fasterxml|com\\.linecorp|io\\.netty|org\\.apache|org\\.rocksdb|net\\.sf|software\\.amazon)(?:\\.[a-z_]\\w*)*\\.[A-Z]\\w*(?:[$.]\\w+)*(?::"
            + " )?");

    /** Where Jackson says which of its settings is the limit, and from what it was reading. */
    private static final Pattern SETTING = Pattern.compile(
            ",? ?\\(?from `[A-Za-z.]+\\(\\)`\\)?|,? from `[A-Za-z.]+\\(\\)`|\\s*\\(start marker at [^)]*\\)[^)]*\\)?");

    private Reasons() {}

    /** The first line of a library's message in plain words; never empty. */
    public static String plain(Throwable failure) {
        String message = failure.getMessage();
        String first = message == null ? "" : message.lines().findFirst().orElse("");
        String plain = withoutClasses(first);
        return plain.isBlank() ? "the text is malformed" : plain;
    }

    /** A text without names of classes. */
    public static String withoutClasses(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        return CLASS.matcher(SETTING.matcher(text).replaceAll("")).replaceAll("");
    }
}
