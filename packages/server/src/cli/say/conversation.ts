import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { harmless, paint } from '../terminal/paint.ts'
import { linesOf } from '../terminal/timeline-lines.ts'

/**
 * Printed lines of a typed call: the words, and failures. Speech is printed whole after it was played; for typing users it is printed when it
 * starts to play, as far as it is known then, and the rest afterwards.
 */
export class ConversationLines {
  /** Whether speech is printed when it starts to play. */
  readonly #early: boolean
  #shown = ''

  constructor(early: boolean) {
    this.#early = early
  }

  /** Undefined: not worth a line. */
  of(entry: TimelineEntry): string | undefined {
    if (entry.kind === 'speaks' && this.#early) return said((this.#shown = entry.text ?? '[a sound]'))
    if (entry.kind === 'spoke') return this.#spoke(entry)
    if (entry.kind === 'action' && !toldOtherwise.has(typeOf(entry.action))) return said(`[${typeOf(entry.action)}]`)
    if (entry.kind === 'problem' || (entry.kind === 'attempt' && entry.error !== undefined)) return linesOf(entry)
    return undefined
  }

  #spoke({ text = '[a sound]', completed, playedMs }: TimelineEntryOf<'spoke'>): string | undefined {
    const shown = this.#shown
    this.#shown = ''
    const rest = text.startsWith(shown) ? text.slice(shown.length).trim() : completed && shown === '' ? text : ''
    const lines = [
      ...(rest === '' ? [] : [said(shown === '' ? rest : `… ${rest}`)]),
      ...(completed ? [] : [paint('gray', `  (cut off after ${(playedMs / 1000).toFixed(1)} s)`)]),
    ]
    return lines.length === 0 ? undefined : lines.join('\n')
  }
}

const said = (text: string): string => paint('blue', `◀ ${harmless(text)}`)

const speech = new Set(['speak', 'audio'])
/** Speech is printed when it is played, and a hang-up at the end of the call: pending speech comes before it. */
const toldOtherwise = new Set([...speech, 'hangup'])
const typeOf = (action: unknown): string => String((Object(action) as { type?: unknown }).type)

/** Detects when the assistant has finished speaking for now. */
export class Quiet {
  #wanted = 0
  #spoken = 0
  #poll: () => void = () => {}
  #hangsUp = false
  /** The assistant has sent `done`. */
  #done = false
  isOver = false

  take(entry: TimelineEntry): void {
    if (entry.kind === 'action' && isSound(entry.action)) this.#wanted++
    if (entry.kind === 'action' && typeOf(entry.action) === 'done') this.#done = true
    if (entry.kind === 'action' && typeOf(entry.action) === 'hangup') this.#hangsUp = true
    if (entry.kind === 'discarded' && entry.action === 'hangup') this.#hangsUp = false
    if (entry.kind === 'spoke' || (entry.kind === 'discarded' && isSound({ type: entry.action }))) this.#spoken++
    this.#poll()
  }

  /** Called after a question: an answer is expected. */
  asked(): void {
    this.#done = false
  }

  /** Called at the end of the call: no further speech follows. */
  end(): void {
    this.isOver = true
    this.#poll()
  }

  /** Resolves when the assistant has spoken and has no pending speech, when the call ends, or at the timeout. */
  async next(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#spoken
    const hasAnswered = (): boolean => this.#spoken > before || this.#done
    this.#poll = () => {
      if (this.isOver || (!this.#hangsUp && hasAnswered() && this.#spoken >= this.#wanted)) resolve()
    }
    this.#poll()
    const timer = setTimeout(resolve, timeoutMs)
    await promise.finally(() => clearTimeout(timer))
  }
}

/** Of streamed speech only the last chunk counts: it is played once. */
const isSound = (action: unknown): boolean => speech.has(typeOf(action)) && (Object(action) as { last?: unknown }).last !== false
