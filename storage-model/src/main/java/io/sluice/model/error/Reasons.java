package io.sluice.model.error;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
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

    /** The system call and error number before a system's message, as Netty writes them. */
    private static final Pattern SYSTEM_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

    /** The address after a message. */
    private static final Pattern ADDRESS = Pattern.compile(": \\S*/\\S+:\\d+$");

    private Reasons() {}

    /** Returns the first line of a library's message without class names; never empty. */
    public static String plain(Throwable failure) {
        String message = failure.getMessage();
        String first = message == null ? "" : message.lines().findFirst().orElse("");
        String plain = withoutClasses(first);
        return plain.isBlank() ? "the text is malformed" : plain;
    }

    /** Returns why a connection failed, in plain words: without system calls, error numbers and name server queries. */
    public static String ofConnection(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
                return "no host has this name";
            }
        }
        String message = failure.getMessage();
        if (message == null) {
            return failure instanceof ConnectException
                    ? "connection refused"
                    : failure.getClass().getSimpleName();
        }
        String plain =
                ADDRESS.matcher(SYSTEM_CALL.matcher(message).replaceFirst("")).replaceFirst("");
        return plain.isEmpty() ? message : plain.substring(0, 1).toLowerCase(Locale.ROOT) + plain.substring(1);
    }

    /** Removes class names from a text. */
    public static String withoutClasses(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        return CLASS.matcher(SETTING.matcher(text).replaceAll("")).replaceAll("");
    }
}
