package io.sluice.model.error;

import java.util.regex.Pattern;

/** Turns the messages of libraries into text for users, without names of classes and methods. */
public final class Reasons {
    /** Class names in the packages that failures come from. */
    private static final Pattern CLASS = Pattern.compile("(?:class"
            + " )?\\b(?:java|javax|jdk|sun|io\\.sluice|com\\.fasterxml|com\\.linecorp|io\\.netty|org\\.apache|org\\.rocksdb|net\\.sf|software\\.amazon)(?:\\.[a-z_]\\w*)*\\.[A-Z]\\w*(?:[$.]\\w+)*(?::"
            + " )?");

    /** Jackson's hints at its settings and at the source that it was reading. */
    private static final Pattern SETTING = Pattern.compile(
            ",? ?\\(?from `[A-Za-z.]+\\(\\)`\\)?|,? from `[A-Za-z.]+\\(\\)`|\\s*\\(start marker at [^)]*\\)[^)]*\\)?");

    private Reasons() {}

    /** Returns the first line of a library's message without class names; never empty. */
    public static String plain(Throwable failure) {
        String message = failure.getMessage();
        String first = message == null ? "" : message.lines().findFirst().orElse("");
        String plain = withoutClasses(first);
        return plain.isBlank() ? "the text is malformed" : plain;
    }

    /** Removes class names from a text. */
    public static String withoutClasses(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        return CLASS.matcher(SETTING.matcher(text).replaceAll("")).replaceAll("");
    }
}
