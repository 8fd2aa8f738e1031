package io.sluice.model.error;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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

    /** Reasons that no other path mends. */
    private static final Pattern OF_MACHINE =
            Pattern.compile("No space left on device|Disk quota exceeded|Input/output error|Too many open files");

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

    /**
     * Returns why an operation on a file failed. The JDK says nothing but the name of a file that is missing, is there,
     * or is forbidden.
     *
     * @param file the file as the caller's message names it; the reason names another one, such as its directory
     */
    public static String ofFile(Path file, IOException failure) {
        String reason;
        if (failure instanceof NoSuchFileException) {
            reason = "no such file or directory";
        } else if (failure instanceof AccessDeniedException) {
            reason = "permission denied";
        } else if (failure instanceof FileAlreadyExistsException) {
            reason = "a file is there already";
        } else if (failure instanceof DirectoryNotEmptyException) {
            reason = "the directory is not empty";
        } else if (failure instanceof FileSystemException other && other.getReason() != null) {
            reason = other.getReason();
        } else {
            return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        }
        String other = ((FileSystemException) failure).getFile();
        return other == null || other.equals(file.toString()) ? reason : other + ": " + reason;
    }

    /**
     * The failure to write at a path that the user has named: bad input if there is something wrong with the path, a
     * failed operation if a disk is full or broken.
     */
    public static SluiceException ofPlace(String message, IOException failure) {
        boolean ofPath = failure instanceof FileSystemException
                && !OF_MACHINE.matcher(String.valueOf(failure.getMessage())).find();
        return ofPath ? new BadInputException(message, failure) : new OperationFailedException(message, failure);
    }

    /** Removes class names from a text. */
    public static String withoutClasses(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        return CLASS.matcher(SETTING.matcher(text).replaceAll("")).replaceAll("");
    }
}
