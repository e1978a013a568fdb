import { measure, type Cost } from './main-thread.ts'
import type { Shapes } from './shapes.ts'

/** Place that processes customers' bytes, with its inputs. */
export interface Entry {
  name: string
  /** Maximum input size. */
  bytes: number
  shapes: Iterable<readonly [shape: string, feed: () => unknown]>
}

export interface Finding extends Cost {
  entry: string
  bytes: number
  /** Worst shape. */
  shape: string
}

/** Milliseconds from which a result is measured again: the first run includes compilation or garbage collection of earlier work. */
const doubtfulMs = 15
const attempts = 3

/** A rejected input is a valid outcome. */
const fed = async (feed: () => unknown): Promise<void> => {
  try {
    await feed()
  } catch {
    // Only the cost counts.
  }
}

/** Smaller inputs do not grow the heap, and a garbage collection takes longer than feeding them. */
const heavyBytes = 256 * 1024

const costOf = async (feed: () => unknown, collectsFirst: boolean): Promise<Cost> => {
  let best = await measure(() => fed(feed), { collectsFirst })
  for (let again = 1; again < attempts && best.blockMs > doubtfulMs; again++) {
    const cost = await measure(() => fed(feed), { collectsFirst: true })
    best = {
      blockMs: Math.min(best.blockMs, cost.blockMs),
      heapMb: Math.min(best.heapMb, cost.heapMb),
      cpuMs: Math.min(best.cpuMs, cost.cpuMs),
    }
  }
  return best
}

/** Feeds every shape and returns the longest block and the largest heap. */
export const find = async ({ name, bytes, shapes }: Entry): Promise<Finding> => {
  const finding: Finding = { entry: name, bytes, shape: '', blockMs: 0, heapMb: 0, cpuMs: 0 }
  for (const [shape, feed] of shapes) {
    const { blockMs, heapMb, cpuMs } = await costOf(feed, bytes >= heavyBytes)
    if (blockMs > finding.blockMs) Object.assign(finding, { shape, blockMs, cpuMs })
    finding.heapMb = Math.max(finding.heapMb, heapMb)
  }
  return finding
}

/** Feeds each text to a function. */
export function* fedWith(texts: Shapes, feed: (text: string) => unknown): Generator<readonly [string, () => unknown]> {
  for (const [shape, text] of texts) yield [shape, () => feed(text)]
}

/** Wraps each text. */
export function* around(
  texts: Shapes,
  write: (text: string) => string,
  name = (shape: string): string => shape,
): Generator<readonly [string, string]> {
  for (const [shape, text] of texts) yield [name(shape), write(text)]
}

/** Concatenates lists. */
export function* all(...lists: readonly Shapes[]): Generator<readonly [string, string]> {
  for (const list of lists) yield* list
}
