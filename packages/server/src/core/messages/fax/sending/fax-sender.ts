import { atMost } from '#core/kernel/work/at-most.ts'
import { Tasks } from '#core/kernel/work/tasks.ts'
import type { FaxOrder } from '#core/kernel/ports/orders.ts'
import type { Fax } from '#core/kernel/ports/store/message/faxes.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { DeferredError } from '#core/kernel/work/worker.ts'
import { acceptFax } from './accept-fax.ts'
import { FaxCall } from './fax-call.ts'
import { updateEntry } from '../state/fax-entry.ts'
import type { FaxName } from '../state/schedule-sending.ts'
import type { SendingDeps } from './sending-parts.ts'

/** The most faxes that a process sends at the same time, and the most of one account. */
const maxConcurrent = 40
const maxPerAccount = 10
const capacityWaitMs = 5_000
/** How far apart waiting faxes ask again: hundreds at once would keep the database busy. */
const betweenTurnsMs = 200
const soonThresholdMs = 1_000

export type FaxSenderDeps = Omit<SendingDeps, 'tasks' | 'closing'>

/** Takes orders for faxes and sends what is due. */
export class FaxSender {
  readonly #deps: SendingDeps
  readonly #closing = new AbortController()
  readonly #orders = new Map<string, Promise<void>>()
  /** The faxes of this process, by lease name; without a call while they are being started. */
  readonly #sending = new Map<string, { accountId: string; call?: FaxCall }>()
  /** By account: when the last of those for which there was no room asks again. */
  readonly #turns = new Map<string, number>()
  readonly #running = new Set<Promise<void>>()
  #draining = false

  constructor(deps: FaxSenderDeps) {
    this.#deps = { ...deps, tasks: new Tasks(), closing: this.#closing.signal }
  }

  /** How many are being sent. */
  get size(): number {
    return this.#sending.size
  }

  /** Resolves when the fax will be sent; an order that is known is the same order. */
  accept(order: FaxOrder): Promise<void> {
    const { sessionId } = order
    const known = this.#orders.get(sessionId)
    if (known) return known
    const accepted = acceptFax(this.#deps, order).finally(() => this.#orders.delete(sessionId))
    this.#orders.set(sessionId, accepted)
    return accepted
  }

  /** From now on none is begun, or they are again. */
  refuse(value: boolean): void {
    this.#draining = value || this.#closing.signal.aborted
  }

  /** From now on none is begun; resolves when the last one is over, or after that time. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    await atMost(this.#deps.clock, ms, Promise.allSettled(this.#running), undefined)
  }

  /** Nothing is being looked up or written at this moment. */
  idle(): Promise<void> {
    return this.#deps.tasks.idle()
  }

  /** What is being sent is hung up, and goes on where it was when the service is back. */
  async close(): Promise<void> {
    this.#draining = true
    this.#closing.abort()
    for (const { call } of this.#sending.values()) call?.stop('service_shutdown')
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  /** To be called when it is due: begins, and does not wait for its end, because others want to be sent, too. */
  send(fax: FaxName): Promise<void> {
    return this.#track(this.#begin(fax))
  }

  async #begin({ accountId, id }: FaxName): Promise<void> {
    const name = `fax:${accountId}:${id}`
    if (this.#draining || this.#sending.has(name)) throw new DeferredError('not before the last try is over', soonThresholdMs)
    if (this.#isFull(accountId)) throw new DeferredError('as many faxes as there may be are being sent', this.#turnOf(accountId))
    this.#sending.set(name, { accountId })
    const fax = await this.#take(name, { accountId, id }).catch((error: unknown) => {
      this.#release(name)
      throw error
    })
    if (!fax) return this.#release(name)
    const call = new FaxCall(this.#deps, fax)
    this.#sending.set(name, { accountId, call })
    if (this.#closing.signal.aborted) call.stop('service_shutdown')
    void this.#track(this.#finish(name, call))
  }

  #track(work: Promise<void>): Promise<void> {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  #isFull(accountId: string): boolean {
    return this.#sending.size >= maxConcurrent || this.#countOf(accountId) >= maxPerAccount
  }

  #countOf(accountId: string): number {
    return [...this.#sending.values()].filter((one) => one.accountId === accountId).length
  }

  #turnOf(accountId: string): number {
    const now = this.#deps.clock.now()
    const at = Math.max(now + capacityWaitMs, (this.#turns.get(accountId) ?? 0) + betweenTurnsMs)
    this.#turns.set(accountId, at)
    return at - now
  }

  #take(name: string, { accountId, id }: FaxName): Promise<Fax | undefined> {
    const { leases, clock } = this.#deps
    const take = async (tables: Tables): Promise<Fax | undefined> => {
      const fax = await tables.faxes.lock(accountId, id)
      // It was taken before, and only the answer of the database was lost.
      if (fax?.state === 'SENDING' && fax.owner === leases.owner) return fax
      if (fax?.state !== 'PENDING' && fax?.state !== 'SCHEDULED') return undefined
      const change = { state: 'SENDING', owner: leases.owner, tries: fax.tries + 1, reason: undefined, dueAt: undefined } as const
      await tables.faxes.update(accountId, id, change, clock.now())
      await updateEntry(tables, { ...fax, ...change }, clock.now())
      return { ...fax, ...change }
    }
    return leases.hold(name, take, () => void this.#sending.get(name)?.call?.look())
  }

  async #finish(name: string, call: FaxCall): Promise<void> {
    const { onFailure, wake } = this.#deps
    await call.run().catch((error: unknown) => onFailure(error, name))
    this.#release(name)
    wake()
  }

  #release(name: string): void {
    const { accountId = '' } = this.#sending.get(name) ?? {}
    this.#sending.delete(name)
    if (this.#countOf(accountId) === 0) this.#turns.delete(accountId)
    this.#deps.leases.release(name)
  }
}
