/**
 * Reads inputs from http(s) servers and S3-style object stores, and resumes after a broken connection; writes objects.
 */
@NullMarked
package io.sluice.importer.source.remote;

import org.jspecify.annotations.NullMarked;
