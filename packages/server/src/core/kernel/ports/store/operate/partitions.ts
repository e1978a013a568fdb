/** Tables that are cut by time, where the database can do that: what is too old goes as a whole, without a trace of what was in it. */
export interface Partitions {
  /** Makes the days that are to come. */
  keepAhead(now: number): Promise<void>
}
