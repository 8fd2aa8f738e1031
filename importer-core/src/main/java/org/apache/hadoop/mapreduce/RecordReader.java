package org.apache.hadoop.mapreduce;
/** Stands for Hadoop's type of this name, which the Parquet library links and never uses here. */
public class RecordReader {}
