/** Time as an argument: the only source of "now" and of timers outside the adapters. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once, `ms` from now; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
}
