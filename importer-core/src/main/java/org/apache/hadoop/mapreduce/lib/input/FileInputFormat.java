package org.apache.hadoop.mapreduce.lib.input;
/** Stands for Hadoop's type of this name, which the Parquet library links and never uses here. */
public class FileInputFormat<K, V> {}
