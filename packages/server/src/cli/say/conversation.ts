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
    if (entry.kind === 'speaks' && this.#early) return entry.text === undefined ? aside('a sound') : said((this.#shown = entry.text))
    if (entry.kind === 'spoke') return this.#spoke(entry)
    if (entry.kind === 'action' && !toldOtherwise.has(typeOf(entry.action))) return aside(typeOf(entry.action).replaceAll('_', ' '))
    if (entry.kind === 'problem' || (entry.kind === 'attempt' && entry.error !== undefined)) return linesOf(entry)
    return undefined
  }

  #spoke({ text, completed, playedMs }: TimelineEntryOf<'spoke'>): string | undefined {
    const shown = this.#shown
    this.#shown = ''
    const cutOff = completed ? [] : [aside(`cut off after ${(playedMs / 1000).toFixed(1)} s`)]
    if (text === undefined) return (completed && !this.#early ? [aside('a sound')] : cutOff).at(0)
    const rest = text.startsWith(shown) ? text.slice(shown.length).trim() : completed && shown === '' ? text : ''
    const lines = [...(rest === '' ? [] : [said(shown === '' ? rest : `… ${rest}`)]), ...cutOff]
    return lines.length === 0 ? undefined : lines.join('\n')
  }
}

const said = (text: string): string => paint('blue', `◀ ${harmless(text)}`)
/** Whatever happens besides speech. */
const aside = (text: string): string => paint('gray', `  (${harmless(text)})`)

const speech = new Set(['speak', 'audio'])
/** Speech is printed when it is played, and a hang-up at the end of the call: pending speech comes before it. `done` only ends an answer. */
const toldOtherwise = new Set([...speech, 'hangup', 'done'])
const typeOf = (action: unknown): string => String((Object(action) as { type?: unknown }).type)

/** Milliseconds to wait for the `done` of the first answer: over a WebSocket only some assistants send one. */
const settleMs = 1_000

/** Runs the task after `ms` milliseconds; returns a function that cancels it. */
type After = (ms: number, task: () => void) => () => void

const wait: After = (ms, task) => {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

/**
 * Detects when the assistant has finished its answer. Answers belong to turns: what is left of the turn before, such as a late `done`, does
 * not count for the question.
 */
export class Quiet {
  readonly #after: After
  /** Turn of the question; undefined until the timeline has the question. */
  #question: number | undefined = 0
  /** Speeches of the answer. */
  #wanted = 0
  #spoken = 0
  /** The answer has ended with `done`. */
  #done = false
  /** The assistant ends its answers with `done`. */
  #sendsDone = false
  #isOverSocket = false
  /** The first answer has ended without `done`. */
  #hasSettled = false
  #cancelSettling: (() => void) | undefined
  #hangsUp = false
  #newestTurn = 0
  readonly #turns = new Map<string, number>()
  #poll: () => void = () => {}
  isOver = false

  constructor(after: After = wait) {
    this.#after = after
  }

  take(entry: TimelineEntry): void {
    if (entry.kind === 'event') this.#turns.set(entry.eventId, entry.turn)
    if ('turn' in entry && entry.turn !== undefined) this.#newestTurn = Math.max(this.#newestTurn, entry.turn)
    if (this.#isQuestion(entry)) this.#begin()
    if (entry.kind === 'message') this.#isOverSocket = true
    if (entry.kind === 'action') this.#acts(entry)
    if (entry.kind === 'discarded' && entry.action === 'hangup') this.#hangsUp = false
    if (entry.kind === 'spoke' && this.#isOfAnswer(this.#turns.get(entry.eventId) ?? this.#newestTurn)) this.#spoken++
    if (entry.kind === 'discarded' && isSound({ type: entry.action }) && this.#isOfAnswer(entry.turn)) this.#spoken++
    this.#poll()
  }

  /** Called with a question: its answer is expected. */
  asked(): void {
    this.#question = undefined
    this.#done = false
  }

  /** Called before a pause of the caller: further speech is expected. */
  pauses(): void {
    this.#begin()
  }

  /** Called at the end of the call: no further speech follows. */
  end(): void {
    this.isOver = true
    this.#poll()
  }

  /** Resolves when the assistant has answered and has no pending speech, when the call ends, or at the timeout. */
  async next(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#poll = () => {
      if (this.isOver || (!this.#hangsUp && this.#hasAnswered())) resolve()
    }
    this.#poll()
    const cancel = this.#after(timeoutMs, resolve)
    await promise.finally(() => {
      cancel()
      this.#cancelSettling?.()
      this.#cancelSettling = undefined
    })
  }

  #isQuestion(entry: TimelineEntry): boolean {
    if (entry.kind === 'unclear') return this.#question === undefined
    return entry.kind === 'key' || (entry.kind === 'heard' && entry.final)
  }

  #begin(): void {
    this.#question = this.#newestTurn
    this.#wanted = 0
    this.#spoken = 0
    this.#done = false
  }

  #isOfAnswer(turn: number): boolean {
    return this.#question !== undefined && turn >= this.#question
  }

  #acts({ action, turn }: TimelineEntryOf<'action'>): void {
    const type = typeOf(action)
    if (type === 'hangup') this.#hangsUp = true
    if (type === 'done') this.#sendsDone = true
    if (!this.#isOfAnswer(turn)) return
    if (type === 'done') this.#done = true
    if (isSound(action)) this.#wanted++
  }

  #hasAnswered(): boolean {
    if (this.#question === undefined || this.#spoken < this.#wanted) return false
    if (this.#done) return true
    if (this.#spoken === 0 || this.#sendsDone) return false
    if (!this.#isOverSocket || this.#hasSettled) return true
    this.#cancelSettling ??= this.#after(settleMs, () => {
      this.#hasSettled = true
      this.#poll()
    })
    return false
  }
}

/** Of streamed speech only the last chunk counts: it is played once. */
const isSound = (action: unknown): boolean => speech.has(typeOf(action)) && (Object(action) as { last?: unknown }).last !== false
