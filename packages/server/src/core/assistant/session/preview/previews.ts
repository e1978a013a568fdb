import { randomUUID } from 'node:crypto'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import type { Conversation, Preview } from '../conversation/conversation.ts'
import type { RepliedEvent } from '../endpoint/event-queue.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'

export interface PreviewsDeps {
  clock: Clock
  session: Session
  endpoint: Pick<SessionEndpoint, 'notify' | 'wants' | 'withdraw' | 'adopt' | 'discarded' | 'duplex' | 'turn'>
  conversation: Pick<Conversation, 'prepare' | 'dropPrepared'>
  perform: (actions: readonly Action[], replied: RepliedEvent) => void
}

/** What was asked ahead of time, and answered. */
interface Asked {
  token: string
  text: string
  /** Aborted: nobody waits for its reply. */
  stop: AbortController
  held: { actions: readonly Action[]; replied: RepliedEvent }[]
  /** A webhook has replied, or could not be reached. */
  replied: boolean
}

/** The turn is over, and what was asked ahead of time has not been answered yet: the turn waits behind it to be told. */
interface Awaited {
  asked: Asked
  cancelTimer: () => void
}

/** A turn is not kept from the endpoint for longer than this, because the endpoint thinks about its preview. */
const answerTimeoutMs = 2000

/**
 * Asks the endpoint while it is not sure yet that the caller has finished. What it answers is made into sound and kept back until the turn is over
 * with the same words; everything else waits until then. Of an answer to words that were not all nothing is ever heard or done.
 */
export class Previews {
  readonly #deps: PreviewsDeps
  #open: Asked | undefined
  #awaited: Awaited | undefined
  /** Of the turn that it was right about. */
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

  /** The caller goes on, or there is no turn. */
  takeBack(): void {
    const asked = this.#open
    if (!asked) return
    this.#open = undefined
    this.#forget(asked)
  }

  /** The turn is over, and has begun to be the newest. `tell` is called once. */
  said(text: string, notify: (previewed: boolean) => void): void {
    const asked = this.#open
    if (asked?.text !== text) this.takeBack()
    this.#open = undefined
    if (asked?.text !== text) return notify(false)
    if (asked.held.length > 0) return this.#comesTrue(asked, notify)
    if (asked.replied || !this.#deps.endpoint.withdraw(asked.stop.signal)) return notify(false)
    if (this.#deps.endpoint.duplex) return this.#comesTrue(asked, notify) // it may be at work on it
    notify(false) // and is told as previewed after all, if an answer comes in time
    this.#awaited = { asked, cancelTimer: this.#deps.clock.after(answerTimeoutMs, () => this.settle()) }
  }

  /** No answer is waited for any more: the turn that waits behind it is told now. */
  settle(): void {
    const awaited = this.#awaited
    if (!awaited) return
    this.#awaited = undefined
    awaited.cancelTimer()
    awaited.asked.stop.abort(new Error('it took too long'))
  }

  /** A webhook has answered. Empty: it has nothing to say ahead of time, or could not be reached. */
  replied(token: string, actions: readonly Action[], replied: RepliedEvent): void {
    if (this.#open?.token === token) {
      this.#open.replied = true
      if (actions.length > 0) this.#hold(this.#open, actions, replied)
    } else if (this.#awaited?.asked.token === token) this.#answered(this.#awaited, actions, replied)
    else this.#discard(actions, replied)
  }

  /** Gives what can be done now: the rest is kept back, or comes too late. */
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
