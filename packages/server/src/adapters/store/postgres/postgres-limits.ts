/** How long we wait for PostgreSQL, and it for us. In real time also where tests replace the clock: whoever has time sets them higher. */
export interface PostgresLimits {
  /** For a new connection, and for waiting until one of ours is free. */
  connectMs: number
  /** A database that works answers the simplest question within this time … */
  answerMs: number
  /** … and over a connection that is open even sooner; if not, a new one is tried. */
  soonThresholdMs: number
  /** For any other answer. */
  queryMs: number
  /** Of what we do not wait for any more. */
  statementMs: number
  /** A process that stands still in the middle of a transaction locks its rows for at most this long, then PostgreSQL rolls it back. */
  standstillMs: number
}

/** To stand still is over before the lease of a process that seems to be gone: when its calls are taken over, their rows are free. */
export const defaultLimits: PostgresLimits = {
  connectMs: 5_000,
  answerMs: 1_000,
  soonThresholdMs: 500,
  queryMs: 5_000,
  statementMs: 10_000,
  standstillMs: 5_000,
}
