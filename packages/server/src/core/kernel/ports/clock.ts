/** Time as an argument: the only source of "now" and of timers outside the adapters. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some moment, which go on evenly when the clock is set: for durations. */
  elapsed(): number
  /** Runs `task` once, `ms` from now; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
}

/** Shows what `clock` does now, and goes on evenly from there, whatever becomes of that one. */
export const evenly = (clock: Clock): Clock => {
  const gapMs = clock.now() - clock.elapsed()
  return {
    now: () => clock.elapsed() + gapMs,
    elapsed: () => clock.elapsed(),
    after: (ms, task) => clock.after(ms, task),
  }
}

/** The clock of a sandbox: as fast as the one on the wall, but ahead of it. */
export interface MovableClock extends Clock {
  readonly aheadMs: number
  /** Never back. Timers that are overtaken run at once. */
  putForward(aheadMs: number): void
}
