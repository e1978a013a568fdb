const pausesMs = [250, 500, 1_000, 2_000, 4_000]
/** From the moment the connection broke. */
export const reconnectBudgetMs = 10_000

/** Responses to an upgrade that another attempt would not change. */
const final = [400, 401, 403, 404, 405, 410]

/** Redirects are not followed, so they are final too. */
export const isFinal = (status: number | undefined): boolean =>
  status !== undefined && (final.includes(status) || (status >= 300 && status < 400))

/**
 * Milliseconds until the next connection attempt after `failed` failures in a row; undefined: no further attempt. `random` gives 0 to 1.
 */
export const pauseBeforeReconnect = (failed: number, { leftMs, random }: { leftMs: number; random: () => number }): number | undefined => {
  const pause = (pausesMs[failed] ?? Infinity) * (1 + random() * 0.2)
  return pause < leftMs ? pause : undefined
}
