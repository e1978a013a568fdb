export interface AttemptLimit {
  bucket: string
  limit: number
  windowMs: number
}

/** Counts what may be tried a limited number of times: logins, password resets. */
export interface Attempts {
  /** Counts one more, or refuses when the window is full and says when the oldest attempt in it was. Callers of one bucket take turns. */
  take(limit: AttemptLimit, now: number): Promise<{ id: number } | { fullSince: number }>
  /** The attempt was a success and does not count. */
  forgive(ids: readonly number[]): Promise<void>
  removeOlderThan(at: number): Promise<number>
}
