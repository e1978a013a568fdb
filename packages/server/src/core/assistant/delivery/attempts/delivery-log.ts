import type { Exchange, OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { maxRecorded, type Delivery, type DeliveryAmendment } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { RisingIds } from '#core/kernel/work/rising-ids.ts'
import { WriteBehind } from '#core/kernel/work/write-behind.ts'

/** Nobody waits for the log. */
const collectMs = 2_000
const maxProblems = 32
const maxMessageLength = 300

/** `event`: what was told. */
export type OnDelivered = (delivery: Delivery, exchange: Exchange | undefined, event: OutgoingEvent) => void

export interface DeliveryLogDeps {
  store: Store
  clock: Clock
  onError: (error: unknown) => void
  /** For metrics, traces and the timeline, which keeps the content: the delivery log has none. */
  onDelivered?: OnDelivered | undefined
}

interface Entry {
  delivery: Delivery
}

interface Amendment extends DeliveryAmendment {
  eventId: string
}

/** Keeps every delivery attempt. Writes later and together, so that no delivery waits for the store. */
export class DeliveryLog {
  readonly #ids: RisingIds
  readonly #entries: WriteBehind<Entry | Amendment>
  readonly #onDelivered: DeliveryLogDeps['onDelivered']

  constructor({ store, clock, onError, onDelivered }: DeliveryLogDeps) {
    this.#onDelivered = onDelivered
    this.#ids = new RisingIds(clock)
    this.#entries = new WriteBehind({ clock, collectMs, write: (batch) => writeAll(store, batch), onError })
  }

  /** Ids that are made later are greater. */
  newId(): string {
    return this.#ids.next()
  }

  record(event: OutgoingEvent, delivery: Delivery, exchange?: Exchange): void {
    this.#onDelivered?.(delivery, exchange, event)
    this.#entries.put({ delivery: { ...delivery, problems: bounded(delivery.problems) } })
  }

  amend(eventId: string, { actions, problems, error }: DeliveryAmendment): void {
    if (actions.length > 0 || problems.length > 0 || error !== undefined)
      this.#entries.put({ eventId, actions, problems: bounded(problems), ...(error !== undefined && { error }) })
  }

  /** Everything until now is written, or could not be. */
  flush(): Promise<void> {
    return this.#entries.flush()
  }

  close(): Promise<void> {
    return this.#entries.close()
  }
}

/** Of most attempts all is known before they are written at all. */
const writeAll = (store: Store, batch: readonly (Entry | Amendment)[]): Promise<void> => {
  const entries = new Map<string, Delivery>()
  const latest = new Map<string, Delivery>()
  for (const one of batch)
    if ('delivery' in one) {
      const { id, eventId } = one.delivery
      entries.set(id, one.delivery)
      if (id > (latest.get(eventId)?.id ?? '')) latest.set(eventId, one.delivery)
    }
  const ofWritten: Amendment[] = []
  for (const one of batch) {
    if ('delivery' in one) continue
    const known = entries.get(latest.get(one.eventId)?.id ?? '')
    if (known) entries.set(known.id, amended(known, one))
    else ofWritten.push(one)
  }
  return store.write(async ({ deliveries }) => {
    await deliveries.insert([...entries.values()])
    for (const one of ofWritten) await deliveries.amend(one.eventId, one)
  })
}

const amended = (delivery: Delivery, { actions, problems, error }: DeliveryAmendment): Delivery => ({
  ...delivery,
  actions: [...delivery.actions, ...actions].slice(0, maxRecorded),
  problems: [...delivery.problems, ...problems].slice(0, maxRecorded),
  ...(error !== undefined && { state: 'failed', error }),
})

const bounded = (problems: Delivery['problems']): Delivery['problems'] =>
  problems.slice(0, maxProblems).map((problem) => ({ ...problem, message: problem.message.slice(0, maxMessageLength) }))
