/** How a key arrived. Misconfigured phones send the same key in several ways. */
export type DtmfSource = 'rfc4733' | 'info' | 'in-band'

const rank: Record<DtmfSource, number> = { 'in-band': 0, info: 1, rfc4733: 2 }

/** The same digit from another source within this time is the same key. */
const SAME_KEY_MS = 1000

/** Admits each key once: by the best source that this phone has used so far. */
export class DtmfMerge {
  #best: DtmfSource | undefined
  #last: { digit: string; at: number } | undefined

  /** Whether this is a new key. */
  takes(digit: string, source: DtmfSource, now: number): boolean {
    const known = this.#best
    if (known !== undefined && rank[source] < rank[known]) return false
    const better = known !== undefined && rank[source] > rank[known]
    const sameKey = better && this.#last?.digit === digit && now - this.#last.at < SAME_KEY_MS
    this.#best = source
    this.#last = { digit, at: now }
    return !sameKey
  }
}

const digitPattern = /^[0-9*#A-D]$/

/** The digit of an INFO request: `application/dtmf-relay` has lines such as `Signal=5`, `application/dtmf` only the digit. */
export const digitOfInfo = (contentType: string, body: Uint8Array): string | undefined => {
  const text = Buffer.from(body.subarray(0, 200)).toString('latin1')
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/dtmf-relay' && type !== 'application/dtmf') return undefined
  const signal = text.split(/\r?\n/).map((line) => /^\s*signal\s*=\s*(\S{1,2})\s*$/i.exec(line)?.[1])
  const written = (signal.find((value) => value !== undefined) ?? (type === 'application/dtmf' ? text.trim() : '')).toUpperCase()
  if (written === '10') return '*'
  if (written === '11') return '#'
  return digitPattern.test(written) ? written : undefined
}
