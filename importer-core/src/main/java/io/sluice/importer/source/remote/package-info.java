/** Inputs behind a network: http(s) and S3-style object stores, read on after a connection breaks. */
@NullMarked
package io.sluice.importer.source.remote;

import org.jspecify.annotations.NullMarked;
