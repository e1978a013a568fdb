import { beginEntry, type Entry, type Way } from '#core/assistant/delivery/attempts/attempt.ts'
import type { Buffered } from '#core/assistant/delivery/events/event-buffer.ts'
import type { DeliveryTry, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { DeliveryAmendment, ActionProblem } from '#core/kernel/ports/store/session.ts'
import type { EndpointDeps } from './webhook-channel.ts'

interface UnconfirmedEvent {
  entry: Entry
  buffered: Buffered
  actions: string[]
  problems: ActionProblem[]
  error?: string | undefined
}

/** Maximum actions and problems recorded per event. */
const maxAmendments = 64
/** Maximum bytes in the timeline per event. */
const maxShownBytes = 128 * 1024

type UnconfirmedEventsDeps = Pick<EndpointDeps, 'log' | 'clock' | 'onMessage'>

/** Events sent over one WebSocket without confirmation yet, for the delivery log. */
export class UnconfirmedEvents {
  readonly #deps: UnconfirmedEventsDeps
  readonly #way: Way
  readonly #url: string
  readonly #unconfirmed = new Map<string, UnconfirmedEvent>()
  /** Attempts of events that are sent again. */
  readonly #tries = new Map<string, DeliveryTry>()
  readonly #started = new Set<string>()
  #latest: { event: OutgoingEvent; amendments: number; shownBytes: number } | undefined

  constructor(deps: UnconfirmedEventsDeps, flowId: string, url: string) {
    this.#deps = deps
    this.#url = url
    this.#way = { flowId, channel: 'websocket' }
  }

  /** An event from the outbox, which counts the attempts itself. */
  expect({ id }: OutgoingEvent, { attempt, last }: DeliveryTry): void {
    this.#tries.set(id, { attempt: attempt - 1, last })
  }

  hasBegun({ id }: OutgoingEvent): boolean {
    return this.#started.has(id)
  }

  began(buffered: Buffered): void {
    const { event } = buffered
    this.#started.add(event.id)
    const { attempt, last } = this.#tries.get(event.id) ?? { attempt: 0, last: false }
    this.#tries.set(event.id, { attempt: attempt + 1, last })
    const entry = beginEntry(this.#deps.log, () => this.#deps.clock.now(), this.#way, event)
    this.#unconfirmed.set(event.id, { entry, buffered, actions: [], problems: [] })
    this.#latest = { event, amendments: 0, shownBytes: 0 }
  }

  arrived({ event }: Buffered): void {
    this.#end(event.id, undefined)
    this.#tries.delete(event.id)
    this.#started.delete(event.id)
  }

  /** The connection is lost: it is unknown which events were received. */
  broke(error: string): void {
    for (const id of this.#unconfirmed.keys()) this.#end(id, error)
  }

  /** A message of the endpoint belongs to the last event sent. */
  heard(message: Buffer, amendment: DeliveryAmendment): void {
    if (!this.#latest || this.#latest.amendments++ >= maxAmendments) return
    this.#show(this.#latest, message)
    this.amend(this.#latest.event.id, amendment)
  }

  amend(eventId: string, amendment: DeliveryAmendment): void {
    const unconfirmed = this.#unconfirmed.get(eventId)
    if (!unconfirmed) return this.#deps.log.amend(eventId, amendment)
    unconfirmed.actions.push(...amendment.actions.slice(0, maxAmendments - unconfirmed.actions.length))
    unconfirmed.problems.push(...amendment.problems.slice(0, maxAmendments - unconfirmed.problems.length))
    unconfirmed.error ??= amendment.error
  }

  #show(latest: { event: OutgoingEvent; shownBytes: number }, message: Buffer): void {
    if (message.length === 0 || latest.shownBytes >= maxShownBytes) return
    latest.shownBytes += message.length
    this.#deps.onMessage(latest.event, message)
  }

  #end(id: string, broken: string | undefined): void {
    const unconfirmed = this.#unconfirmed.get(id)
    const { attempt, last } = this.#tries.get(id) ?? { attempt: 1, last: false }
    if (!unconfirmed) return
    this.#unconfirmed.delete(id)
    const { entry, buffered, actions, problems, error = broken } = unconfirmed
    const state = error === undefined ? 'delivered' : last ? 'dead' : 'failed'
    const ending = { attempt, state, status: undefined, requestBytes: buffered.bytes, replyBytes: 0, actions, problems, error } as const
    entry.ended(ending, { url: this.#url, request: { headers: {}, body: buffered.text } })
  }
}
