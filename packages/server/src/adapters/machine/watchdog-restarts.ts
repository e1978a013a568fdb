/** Environment variable with the times of recent restarts, in milliseconds. */
export const restartsVariable = 'STUCK_RESTARTS'
const recentMs = 10 * 60_000
const maxDelayMs = 60_000

/** Times of earlier restarts that still count. */
export const recentRestarts = (env: NodeJS.ProcessEnv, now: number): number[] =>
  (env[restartsVariable] ?? '')
    .split(',')
    .map(Number)
    .filter((at) => at > 0 && now - at < recentMs)

/** Milliseconds before a restarted service starts: none after the first restart, then two seconds, doubled each time, up to a minute. */
export const restartDelayMs = (env: NodeJS.ProcessEnv, now: number): number => {
  const { length } = recentRestarts(env, now)
  return length < 2 ? 0 : Math.min(2 ** (length - 1) * 1_000, maxDelayMs)
}
