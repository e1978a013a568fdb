/** Time as an argument: the only source of "now" and of timers outside the adapters. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once, `ms` from now; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
}

/** The clock of a sandbox: as fast as the one on the wall, but ahead of it. */
export interface MovableClock extends Clock {
  readonly aheadMs: number
  /** Never back. Timers that are overtaken run at once. */
  putForward(aheadMs: number): void
}
