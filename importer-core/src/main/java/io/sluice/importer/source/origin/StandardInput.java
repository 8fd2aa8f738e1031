package io.sluice.importer.source.origin;

import java.io.FilterInputStream;
import java.io.InputStream;

/** The standard input of this process. It can be read once. */
public record StandardInput() implements Origin {
    @Override
    public InputStream open() {
        return new FilterInputStream(System.in) {
            @Override
            public void close() {
                // The process owns it.
            }
        };
    }

    @Override
    public String version() {
        return "";
    }

    @Override
    public void ensureUnchanged() {}

    @Override
    public boolean repeatable() {
        return false;
    }

    @Override
    public boolean remote() {
        return false;
    }

    @Override
    public String toString() {
        return "-";
    }
}
