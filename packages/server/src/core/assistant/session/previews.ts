import { randomUUID } from 'node:crypto'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { noLongerWanted } from '#core/kernel/work/waiting.ts'
import type { Conversation, Preview } from './conversation.ts'
import type { RepliedEvent } from './endpoint/event-queue.ts'
import type { SessionEndpoint } from './endpoint/session-endpoint.ts'

interface PreviewsDeps {
  clock: Clock
  session: Session
  endpoint: Pick<SessionEndpoint, 'notify' | 'wants' | 'withdraw' | 'adopt' | 'discarded' | 'duplex' | 'turn'>
  conversation: Pick<Conversation, 'prepare' | 'dropPrepared'>
  perform: (actions: readonly Action[], replied: RepliedEvent) => void
}

/** A preview and its answers. */
interface Asked {
  token: string
  text: string
  /** Aborted when its reply is no longer awaited. */
  stop: AbortController
  held: { actions: readonly Action[]; replied: RepliedEvent }[]
  /** A webhook replied or could not be reached. */
  replied: boolean
}

/** The turn is over but its preview is unanswered: the turn waits behind it in the queue. */
interface Awaited {
  asked: Asked
  cancelTimer: () => void
}

/** Maximum delay of a turn for the answer to its preview. */
const answerTimeoutMs = 2000

/**
 * Asks the endpoint before it is certain that the caller has finished. Synthesizes its speech and holds it back until the turn ends with the same
 * words; all other actions wait until then. An answer to incomplete words is never played or performed.
 */
export class Previews {
  readonly #deps: PreviewsDeps
  #open: Asked | undefined
  #awaited: Awaited | undefined
  /** Confirmed preview and its turn. */
  #true: { token: string; turn: number } | undefined

  constructor(deps: PreviewsDeps) {
    this.#deps = deps
  }

  begin({ text, confidence, endProbability }: Preview): void {
    const { endpoint, session } = this.#deps
    if (!endpoint.wants('user_speak_preview')) return
    this.settle()
    this.takeBack()
    const token = randomUUID()
    const stop = new AbortController()
    this.#open = { token, text, stop, held: [], replied: false }
    const known = { ...(confidence !== undefined && { confidence }), end_probability: Math.round(endProbability * 100) / 100 }
    endpoint.notify({ type: 'user_speak_preview', session, turn_token: token, text, ...known }, false, stop.signal)
  }

  /** The caller continues, or there is no turn. */
  takeBack(): void {
    const asked = this.#open
    if (!asked) return
    this.#open = undefined
    this.#forget(asked)
  }

  /** The turn is over and is now the newest. `notify` is called once. */
  said(text: string, notify: (previewed: boolean) => void): void {
    const asked = this.#open
    if (asked?.text !== text) this.takeBack()
    this.#open = undefined
    if (asked?.text !== text) return notify(false)
    if (asked.held.length > 0) return this.#comesTrue(asked, notify)
    if (asked.replied || !this.#deps.endpoint.withdraw(asked.stop.signal)) return notify(false)
    if (this.#deps.endpoint.duplex) return this.#comesTrue(asked, notify) // it may be working on it
    notify(false) // marked as previewed later if an answer arrives in time
    this.#awaited = { asked, cancelTimer: this.#deps.clock.after(answerTimeoutMs, () => this.settle()) }
  }

  /** Stops waiting for the answer: the delayed turn is sent now. */
  settle(): void {
    const awaited = this.#awaited
    if (!awaited) return
    this.#awaited = undefined
    awaited.cancelTimer()
    awaited.asked.stop.abort(new Error('it took too long'))
  }

  /** A webhook replied. Empty if it has no answer to the preview or could not be reached. */
  replied(token: string, actions: readonly Action[], replied: RepliedEvent): void {
    if (this.#open?.token === token) {
      this.#open.replied = true
      if (actions.length > 0) this.#hold(this.#open, actions, replied)
    } else if (this.#awaited?.asked.token === token) this.#answered(this.#awaited, actions, replied)
    else this.#discard(actions, replied)
  }

  /** Returns the actions to perform now; holds or discards the others. */
  sort(actions: readonly Action[], replied: RepliedEvent): Action[] {
    const held = actions.filter((action) => this.#open !== undefined && action.turn_token === this.#open.token)
    if (this.#open && held.length > 0) this.#hold(this.#open, held, replied)
    const now = actions.filter((action) => action.turn_token === undefined || this.#isTrue(action.turn_token))
    this.#discard(
      actions.filter((action) => !held.includes(action) && !now.includes(action)),
      replied,
    )
    return now
  }

  close(): void {
    this.settle()
    this.#open?.stop.abort(noLongerWanted)
    this.#open = undefined
  }

  #isTrue(token: string): boolean {
    return this.#true?.token === token && this.#true.turn === this.#deps.endpoint.turn
  }

  #hold(asked: Asked, actions: readonly Action[], replied: RepliedEvent): void {
    asked.held.push({ actions, replied })
    for (const action of actions)
      if (action.type === 'speak' || action.type === 'audio') this.#deps.conversation.prepare(action, replied.eventId)
  }

  #answered({ asked, cancelTimer }: Awaited, actions: readonly Action[], replied: RepliedEvent): void {
    this.#awaited = undefined
    cancelTimer()
    if (actions.length === 0) return
    asked.held.push({ actions, replied })
    this.#comesTrue(asked, () => {})
  }

  #comesTrue({ token, held }: Asked, notify: (previewed: boolean) => void): void {
    const { endpoint, perform } = this.#deps
    this.#true = { token, turn: endpoint.turn }
    const answers = held.map(({ actions, replied }) => ({ actions, replied: endpoint.adopt(replied.eventId) }))
    notify(true)
    for (const { actions, replied } of answers) perform(actions, replied)
  }

  #forget({ token, stop, held }: Asked): void {
    const { conversation, endpoint, session } = this.#deps
    conversation.dropPrepared()
    const sent = endpoint.withdraw(stop.signal)
    stop.abort(noLongerWanted)
    if (sent) endpoint.notify({ type: 'user_speak_revoked', session, turn_token: token })
    for (const { actions, replied } of held) this.#discard(actions, replied)
  }

  #discard(actions: readonly Action[], replied: RepliedEvent): void {
    for (const { type } of actions) this.#deps.endpoint.discarded(type, replied, 'superseded')
  }
}

/** Minimum milliseconds between events. Providers report faster than this; skipped partials are contained in the next one or in the turn. */
const minIntervalMs = 300

interface InterimWordsDeps {
  clock: Clock
  session: Session
  endpoint: Pick<SessionEndpoint, 'notify' | 'wants' | 'duplex'>
}

/** Sends partial transcripts to endpoints that want them (`user_speak_partial`). */
export class InterimWords {
  readonly #deps: InterimWordsDeps
  /** Previous partial, sent or not. */
  #before = ''
  #told = ''
  #toldAt = -Infinity

  constructor(deps: InterimWordsDeps) {
    this.#deps = deps
  }

  /** Not over webhooks: every event would wait for the previous one, and the turn for all of them. */
  get wanted(): boolean {
    const { endpoint } = this.#deps
    return endpoint.wants('user_speak_partial') && endpoint.duplex
  }

  /** Resets at the beginning of a turn. */
  begins(): void {
    this.#before = ''
    this.#told = ''
    this.#toldAt = -Infinity
  }

  understood(text: string): void {
    const words = text.trim()
    if (words === '' || !this.wanted) return
    const { clock, session, endpoint } = this.#deps
    const stable = stableChars(this.#before, words)
    this.#before = words
    if (words === this.#told || clock.now() - this.#toldAt < minIntervalMs) return
    this.#told = words
    this.#toldAt = clock.now()
    endpoint.notify({ type: 'user_speak_partial', session, text: words, stable_chars: stable })
  }
}

const letter = /[\p{L}\p{M}\p{N}]/u

/**
 * Length of the prefix of `now` on which two consecutive partials agree, in whole words: half a word often becomes another. Final punctuation
 * does not count, because recognisers end everything with a full stop.
 */
export const stableChars = (before: string, now: string): number => {
  let common = 0
  while (common < before.length && before[common] === now[common]) common += 1
  let end = common
  if (isInWord(before, common) || isInWord(now, common)) while (end > 0 && letter.test(now.charAt(end - 1))) end -= 1
  while (end > 0 && !letter.test(now.charAt(end - 1))) end -= 1
  return end
}

/** True if the position is inside a word. */
const isInWord = (text: string, place: number): boolean =>
  place > 0 && letter.test(text.charAt(place - 1)) && letter.test(text.charAt(place))
