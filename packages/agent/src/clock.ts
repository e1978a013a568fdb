/** The time, as the agent is given it. */
export interface AgentClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Cannot be set; only for differences. */
  elapsed(): number
  /** Gives what cancels it. */
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

/** Until then, or until the signal comes. */
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
