import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { harmless, paint } from '../terminal/paint.ts'
import { linesOf } from '../terminal/timeline-lines.ts'

/** What is printed of a typed call: the words, and what went wrong. Undefined: not worth a line. */
export const conversationLine = (entry: TimelineEntry): string | undefined => {
  if (entry.kind === 'speaks') return paint('blue', `◀ ${entry.text === undefined ? '[a sound]' : harmless(entry.text)}`)
  if (entry.kind === 'action' && !toldOtherwise.has(typeOf(entry.action))) return paint('blue', `◀ [${harmless(typeOf(entry.action))}]`)
  if (entry.kind === 'spoke' && !entry.completed) return paint('gray', `  (cut off after ${(entry.playedMs / 1000).toFixed(1)} s)`)
  if (entry.kind === 'problem' || (entry.kind === 'attempt' && entry.error !== undefined)) return linesOf(entry)
  return undefined
}

const speech = new Set(['speak', 'audio'])
/** Speech is printed when it is played, and a hangup when the call is over: what is still to be said comes before it. */
const toldOtherwise = new Set([...speech, 'hangup'])
const typeOf = (action: unknown): string => String((Object(action) as { type?: unknown }).type)

/** Knows when the assistant has finished speaking for now. */
export class Quiet {
  #wanted = 0
  #spoken = 0
  #look: () => void = () => {}
  #hangsUp = false
  isOver = false

  take(entry: TimelineEntry): void {
    if (entry.kind === 'action' && isSound(entry.action)) this.#wanted++
    if (entry.kind === 'action' && typeOf(entry.action) === 'hangup') this.#hangsUp = true
    if (entry.kind === 'discarded' && entry.action === 'hangup') this.#hangsUp = false
    if (entry.kind === 'spoke' || (entry.kind === 'discarded' && isSound({ type: entry.action }))) this.#spoken++
    this.#look()
  }

  /** The call is over: nothing more is spoken. */
  end(): void {
    this.isOver = true
    this.#look()
  }

  /** Resolves when the assistant has spoken and has nothing left to say, when the call is over, or at the timeout. */
  async next(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#spoken
    this.#look = () => {
      if (this.isOver || (!this.#hangsUp && this.#spoken > before && this.#spoken >= this.#wanted)) resolve()
    }
    this.#look()
    const timer = setTimeout(resolve, timeoutMs)
    await promise.finally(() => clearTimeout(timer))
  }
}

/** Of speech that is streamed in pieces only the last one counts: it is played once. */
const isSound = (action: unknown): boolean => speech.has(typeOf(action)) && (Object(action) as { last?: unknown }).last !== false
