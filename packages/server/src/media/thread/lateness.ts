const stepMs = 0.1
const steps = 2000

/** How late frames went out: counts per tenth of a millisecond, everything beyond 200 ms together. */
export class Lateness {
  readonly #counts = new Uint32Array(steps)

  add(ms: number, frames: number): void {
    const step = Math.min(steps - 1, Math.max(0, Math.floor(ms / stepMs)))
    this.#counts[step] = (this.#counts[step] ?? 0) + frames
  }

  /** Gives the counts and begins anew. */
  takeCounts(): Uint32Array {
    const counts = this.#counts.slice()
    this.#counts.fill(0)
    return counts
  }
}

/** Of several workers together. */
export const summariseLateness = (all: Uint32Array[]): { p50: number; p99: number; frames: number } => {
  const counts = Array.from({ length: steps }, (_, step) => all.reduce((sum, one) => sum + (one[step] ?? 0), 0))
  const frames = counts.reduce((sum, count) => sum + count, 0)
  return { p50: percentile(counts, frames * 0.5), p99: percentile(counts, frames * 0.99), frames }
}

const percentile = (counts: number[], rank: number): number => {
  let passed = 0
  for (const [step, count] of counts.entries()) {
    passed += count
    if (count > 0 && passed >= rank) return Math.round((step + 1) * stepMs * 10) / 10
  }
  return 0
}
