/** Clock for the agent. */
export interface AgentClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Monotonic milliseconds; only for differences. */
  elapsed(): number
  /** Returns a cancel function. */
  after(ms: number, task: () => void): () => void
}

export const wallClock: AgentClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms` or when the signal aborts. */
export const sleep = (clock: AgentClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const wake = (): void => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(ms, wake)
    signal.addEventListener('abort', wake)
  })
