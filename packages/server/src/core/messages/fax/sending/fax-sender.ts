import { atMost } from '#core/kernel/work/waiting.ts'
import { Tasks, DeferredError } from '#core/kernel/work/worker.ts'
import type { FaxOrder } from '#core/kernel/ports/calls.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { FaxCall } from './fax-call.ts'
import { updateEntry, outgoingEntry } from '../state/fax-entry.ts'
import { type FaxName, scheduleSending } from '../state/schedule-sending.ts'
import type { SendingDeps } from './sending-deps.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { estimateFaxSeconds } from '#core/money/reservations.ts'
import { extendFax } from '#core/money/reservations.ts'
import { DocumentRefused, type FaxFiles } from '#core/kernel/ports/messages.ts'
import type { Faxline } from '#core/kernel/ports/store/line.ts'
import { requireCarriers } from '#core/telephone/routing/plan/plan.ts'
import { routeTo, senderOf } from './fax-route.ts'
import { outgoingFax } from '../state/new-fax.ts'

/** Maximum concurrent faxes per node and per account. */
const maxConcurrent = 40
const maxPerAccount = 10
const capacityWaitMs = 5_000
/** Milliseconds between retries of waiting faxes: hundreds together would overload the database. */
const betweenTurnsMs = 200
const soonThresholdMs = 1_000

export type FaxSenderDeps = Omit<SendingDeps, 'tasks' | 'closing'>

/** Accepts fax orders and sends due faxes. */
export class FaxSender {
  readonly #deps: SendingDeps
  readonly #closing = new AbortController()
  readonly #orders = new Map<string, Promise<void>>()
  /** Faxes of this node by lease name; without a call while starting. */
  readonly #sending = new Map<string, { accountId: string; call?: FaxCall }>()
  /** Time of the last scheduled retry by account. */
  readonly #turns = new Map<string, number>()
  readonly #running = new Set<Promise<void>>()
  #draining = false

  constructor(deps: FaxSenderDeps) {
    this.#deps = { ...deps, tasks: new Tasks(), closing: this.#closing.signal }
  }

  /** Number of faxes being sent. */
  get size(): number {
    return this.#sending.size
  }

  /** Resolves when the fax is accepted; a repeated order is the same order. */
  accept(order: FaxOrder): Promise<void> {
    const { sessionId } = order
    const known = this.#orders.get(sessionId)
    if (known) return known
    const accepted = acceptFax(this.#deps, order).finally(() => this.#orders.delete(sessionId))
    this.#orders.set(sessionId, accepted)
    return accepted
  }

  /** Stops or resumes starting faxes. */
  refuse(value: boolean): void {
    this.#draining = value || this.#closing.signal.aborted
  }

  /** Stops starting faxes; resolves when the last one ends, or after the timeout. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    await atMost(this.#deps.clock, ms, Promise.allSettled(this.#running), undefined)
  }

  /** Resolves when no store access is pending. */
  idle(): Promise<void> {
    return this.#deps.tasks.idle()
  }

  /** Hangs up running faxes; they resume at the same page after a restart. */
  async close(): Promise<void> {
    this.#draining = true
    this.#closing.abort()
    for (const { call } of this.#sending.values()) call?.stop('service_shutdown')
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  /** Call when due: starts the fax without waiting for its end, so that others can start. */
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
      // Claimed before, and only the answer of the database got lost.
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

/** Maximum pending faxes per account: bounds the damage of a stolen token. */
const maxUnsent = 500

/** Document to send. */
interface Papers {
  filename: string
  pages: number
  resendOf: string | undefined
}

/** Renders the document first, so that an unusable one is rejected instead of accepted. */
const acceptFax = async (deps: SendingDeps, order: FaxOrder): Promise<void> => {
  const { store } = deps
  const { accountId, sessionId, faxlineId, recipient } = order
  if (await store.read.faxes.find(accountId, sessionId)) return
  const faxline = await store.read.faxlines.find(accountId, faxlineId)
  if (!faxline) throw new Problem('faxline_not_found')
  await requireRoute(deps, recipient)
  try {
    const papers = await bringPapers(deps, order)
    await store.write((tables) => enter(tables, deps, { order, faxline, papers }))
  } catch (error) {
    await discard(deps, order).catch((fault: unknown) => deps.onFailure(fault, sessionId))
    throw error
  }
}

/** Rejects before any work is done; a carrier that fails later is retried. */
const requireRoute = async ({ store, telephony }: SendingDeps, recipient: string): Promise<void> => {
  const route = await routeTo(store.read, recipient)
  if (route.kind === 'here') return
  if (route.kind === 'none') throw Problem.field('recipient', 'leads to nothing that takes a fax', 'number_invalid')
  if (telephony.faxMissing !== undefined) throw new Problem('line_unavailable', `Faxes cannot be sent: ${telephony.faxMissing}`)
  if (route.kind === 'outside') await requireCarriers(store.read, telephony, { emergency: false })
}

/** Copies the document of an earlier fax, because the original is erased with its history entry. */
const bringPapers = async ({ store, files, printer }: SendingDeps, { accountId, sessionId, document }: FaxOrder): Promise<Papers> => {
  const fax = { accountId, faxId: sessionId }
  if ('pdf' in document) {
    const { pages } = await printer.render(fax, document.pdf).catch(refuse((why) => Problem.field('base64Content', why)))
    return { filename: document.filename, pages, resendOf: undefined }
  }
  const { resendOf } = document
  const sent = await store.read.faxes.find(accountId, resendOf)
  const pdf = sent && (await readAll(files, accountId, resendOf))
  if (!pdf) throw new Problem('conflict', 'The document of this fax is no longer there.')
  const { pages } = await printer.render(fax, pdf).catch(refuse((why) => new Problem('conflict', `The document of this fax ${why}.`)))
  return { filename: sent.filename, pages, resendOf }
}

const refuse =
  (problem: (why: string) => Problem) =>
  (error: unknown): never => {
    throw error instanceof DocumentRefused ? problem(error.why) : error
  }

const readAll = async (files: FaxFiles, accountId: string, faxId: string): Promise<Uint8Array | undefined> => {
  const file = await files.open({ accountId, faxId, kind: 'document' })
  if (!file) return undefined
  try {
    return await file.read(0, file.bytes)
  } finally {
    await file.close()
  }
}

/** Writes the fax, its history entry and the first attempt, with a reservation for the actual number of pages. */
const enter = async (
  tables: Tables,
  { clock }: SendingDeps,
  { order, faxline, papers }: { order: FaxOrder; faxline: Faxline; papers: Papers },
): Promise<void> => {
  const { accountId, sessionId, userId, recipient } = order
  if (await tables.faxes.find(accountId, sessionId)) return
  if (!(await tables.balances.claim(accountId, sessionId, `fax:${sessionId}`)))
    throw new Problem('conflict', 'The money for this fax is no longer reserved.')
  const { pages } = papers
  const seconds = estimateFaxSeconds(pages)
  if ((await extendFax(tables, clock, { accountId, sessionId, seconds, pages })) < seconds) throw new Problem('insufficient_funds')
  if ((await tables.faxes.countUnsent(accountId)) >= maxUnsent)
    throw new Problem('rate_limited', `At most ${maxUnsent} faxes can wait at a time.`, { retryAfter: 60 })
  const sender = (await senderOf(tables, accountId, faxline)) ?? faxline.id
  const fax = outgoingFax({ accountId, id: sessionId, userId, faxlineId: faxline.id, sender, recipient, ...papers }, clock.now())
  await tables.faxes.insert(fax)
  await tables.history.insert(accountId, outgoingEntry(fax, faxline))
  await scheduleSending(tables, fax, fax.createdAt)
}

/** Removes the files, unless the order was accepted and only the answer got lost. */
const discard = async ({ store, files }: SendingDeps, { accountId, sessionId }: FaxOrder): Promise<void> => {
  if (!(await store.read.faxes.find(accountId, sessionId))) await files.erase(accountId, sessionId)
}
