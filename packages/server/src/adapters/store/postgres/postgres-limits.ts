/** Timeouts between us and PostgreSQL. In real time also where tests replace the clock: slow tests set them higher. */
export interface PostgresLimits {
  /** For a new connection, and for a free one of the pool. */
  connectMs: number
  /** A working database answers the simplest query within this time. */
  answerMs: number
  /** The same over an open connection; otherwise a new one is tried. */
  soonThresholdMs: number
  /** For any other answer. */
  queryMs: number
  /** For statements that we no longer wait for. */
  statementMs: number
  /** Maximum time that a stalled process locks its rows within a transaction, before PostgreSQL rolls it back. */
  standstillMs: number
}

/** A stall ends before the lease of a process that seems to be gone: when its calls are taken over, their rows are unlocked. */
export const defaultLimits: PostgresLimits = {
  connectMs: 5_000,
  answerMs: 1_000,
  soonThresholdMs: 500,
  queryMs: 5_000,
  statementMs: 10_000,
  standstillMs: 5_000,
}
