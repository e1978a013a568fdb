import { wholeSeconds } from '#core/telephone/call/money/prepaid.ts'
import { writeUntilDone } from '#core/kernel/work/write-with-retry.ts'
import { estimateFaxSeconds } from '#core/money/reservations.ts'
import { extendFax, hasPrice, settleFax } from '#core/money/reservations.ts'
import type { FaxResult, FaxToSend } from '#core/kernel/ports/messages.ts'
import type { Faxline } from '#core/kernel/ports/store/line.ts'
import type { Fax, FaxChange } from '#core/kernel/ports/store/message.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { LegEnd, FaxLeg } from '#core/kernel/ports/telephony.ts'
import { dialFax } from './dial-fax.ts'
import { endTry, type TryEnd } from '../state/end-try.ts'
import { updateEntry } from '../state/fax-entry.ts'
import { routeTo, senderOf, type FaxRoute } from './fax-route.ts'
import { callDropped, reasonOfCause, reasonOfResult, type FaxReason } from '../state/reasons.ts'
import type { SendingDeps } from './sending-deps.ts'

/** Milliseconds between checks for a cancellation. */
const pollMs = 15_000
/** A photo takes 15 minutes on a slow line. T.30 gives up on a dead far end within a minute after the page. */
const maxPageMs = 20 * 60_000
const maxHeaderLength = 50
const maxStationIdLength = 20

interface Prepared {
  route: Extract<FaxRoute, { kind: 'phones' | 'outside' }>
  /** Paid seconds. */
  paid: number
  faxline: Faxline
  number: string | undefined
  /** Local file with the pages. */
  file: string
}

/** One attempt to send a fax, from the call to the stored outcome. */
export class FaxCall {
  readonly #deps: SendingDeps
  readonly #fax: Fax
  readonly #stopping = new AbortController()
  /** Reason why we ended the call. */
  #stopped: FaxReason | undefined
  #leg: FaxLeg | undefined
  #purse: FaxBilling | undefined
  #cancelLimit: () => void = () => {}
  #answeredAt: number | undefined
  #pagesDone: number
  #notes: Promise<unknown> = Promise.resolve()

  /** `fax`: state after it was claimed. */
  constructor(deps: SendingDeps, fax: Fax) {
    this.#deps = deps
    this.#fax = fax
    this.#pagesDone = fax.pagesDone
  }

  /** Resolves when the outcome is stored. Never throws. */
  async run(): Promise<void> {
    const { onFailure } = this.#deps
    const { id } = this.#fax
    const stopWatching = this.#watch()
    const end = await this.#carry().catch((error: unknown) => {
      onFailure(error, id)
      return this.#vain('service_failure')
    })
    stopWatching()
    await this.#notes
    await writeUntilDone(this.#deps, id, (tables) => this.#close(tables, end))
  }

  stop(reason: FaxReason): void {
    this.#stopped ??= reason
    this.#stopping.abort()
    this.#leg?.hangUp('normal').catch((error: unknown) => this.#deps.onFailure(error, this.#fax.id))
  }

  /** Checks that the fax is still ours and not cancelled. */
  async look(): Promise<void> {
    const { store, leases, tasks, onFailure } = this.#deps
    const { accountId, id } = this.#fax
    try {
      const fax = await tasks.track(store.read.faxes.find(accountId, id))
      if (fax?.owner !== leases.owner || fax.reason === 'cancelled') this.stop('cancelled')
    } catch (error) {
      onFailure(error, id)
    }
  }

  async #carry(): Promise<TryEnd> {
    const { store, tasks, deliverHere } = this.#deps
    const fax = this.#fax
    const route = await tasks.track(routeTo(store.read, fax.recipient))
    if (route.kind === 'none') return this.#vain('not_found')
    if (route.kind === 'here') {
      await deliverHere(fax, route.faxline)
      return { reason: undefined, pagesDone: fax.pages, talkSeconds: 0 }
    }
    const afforded = await tasks.track(store.write((tables) => this.#afford(tables, route)))
    return typeof afforded === 'string' ? this.#vain(afforded) : this.#call(route, afforded)
  }

  #vain(reason: FaxReason): TryEnd {
    return { reason: this.#stopped ?? reason, pagesDone: this.#pagesDone, talkSeconds: 0 }
  }

  /** Returns the paid seconds over all attempts, which suffice for the remaining pages, or the reason for a failure. */
  async #afford(tables: Tables, route: FaxRoute): Promise<number | FaxReason> {
    const { accountId, id: sessionId, pages, pagesDone, talkSeconds } = this.#fax
    const reservation = await tables.balances.findReservation(accountId, sessionId)
    // The number was in service here when the fax was ordered and no longer is: no price was agreed.
    if (route.kind === 'outside' && reservation && !hasPrice(reservation)) return 'not_found'
    const seconds = talkSeconds + estimateFaxSeconds(pages - pagesDone)
    const paid = await extendFax(tables, this.#deps.clock, { accountId, sessionId, seconds, pages })
    return paid >= seconds ? paid : 'insufficient_funds'
  }

  async #call(route: Extract<FaxRoute, { kind: 'phones' | 'outside' }>, paid: number): Promise<TryEnd> {
    const { store, tasks, files } = this.#deps
    const { accountId, id: faxId, faxlineId } = this.#fax
    const faxline = await tasks.track(store.read.faxlines.find(accountId, faxlineId))
    if (!faxline) return this.#vain('cancelled')
    const number = await tasks.track(senderOf(store.read, accountId, faxline))
    const pages = { accountId, faxId, kind: 'pages' } as const
    const lent = await files.lend(pages)
    // The disk is unavailable, or the file is on another machine: that may change.
    if (!lent) throw new Error('the pages of a fax are not in this folder')
    try {
      return await this.#callWith({ route, paid, faxline, number, file: lent.path })
    } finally {
      await lent.release()
    }
  }

  async #callWith({ route, paid, faxline, number, file }: Prepared): Promise<TryEnd> {
    const { clock } = this.#deps
    const { id: faxId } = this.#fax
    const dial = { caller: { number, name: '', withheld: false }, diversions: [], hops: 1 }
    const leg = await dialFax(this.#deps, { faxId, route, dial, stopped: this.#stopping.signal })
    if (leg === 'no_room') return { ...this.#vain('no_carrier'), nobodyCalled: true }
    if (typeof leg === 'string') return this.#vain(reasonOfCause(leg))
    const header = faxline.tagline.slice(0, maxHeaderLength)
    const station = (number ?? '').slice(0, maxStationIdLength)
    const result = await this.#send(leg, { file, firstPage: this.#pagesDone, station, header }, paid)
    const talkSeconds = route.kind === 'outside' ? wholeSeconds(this.#answeredAt ?? clock.now(), clock.now()) : 0
    return { reason: this.#stopped ?? reasonOfResult(result), pagesDone: this.#pagesDone, talkSeconds, result }
  }

  async #send(leg: FaxLeg, paper: FaxToSend, paid: number): Promise<FaxResult> {
    const { clock, onFailure } = this.#deps
    const { id } = this.#fax
    this.#leg = leg
    this.#answeredAt = clock.now()
    if (this.#stopped !== undefined) this.stop(this.#stopped)
    this.#note({ answeredAt: this.#answeredAt, dialog: leg.dialog() })
    const purse = new FaxBilling(this.#deps, this.#fax, paid, () => this.stop('insufficient_funds'))
    this.#purse = purse
    this.#limitPage()
    const page = (count: number): void => {
      this.#limitPage()
      this.#arrived(paper.firstPage + count)
      purse.pageDone(this.#pagesDone)
    }
    try {
      const result = await leg.send(paper, { page })
      this.#arrived(paper.firstPage + result.pages)
      const hungUp = result.code === undefined && (await endOf(leg))?.by === 'peer'
      return hungUp ? { ...result, code: callDropped } : result
    } finally {
      this.#cancelLimit()
      purse.close()
      void leg.hangUp('normal').catch((error: unknown) => onFailure(error, id))
    }
  }

  /** Restarts the limit for the next page. */
  #limitPage(): void {
    this.#cancelLimit()
    this.#cancelLimit = this.#deps.clock.after(maxPageMs, () => this.stop('too_slow'))
  }

  /** Polls at an interval; returns a function to stop. */
  #watch(): () => void {
    const { clock } = this.#deps
    let cancel = (): void => {}
    const later = (): void => {
      cancel = clock.after(pollMs, () => {
        void this.look()
        this.#purse?.look()
        later()
      })
    }
    later()
    return () => cancel()
  }

  /** A page confirmed by the far end is never sent again, even after a crash. */
  #arrived(pagesDone: number): void {
    if (pagesDone <= this.#pagesDone) return
    this.#pagesDone = pagesDone
    this.#note({ pagesDone })
  }

  #note(change: FaxChange): void {
    const { store, clock, tasks, onFailure } = this.#deps
    const { id } = this.#fax
    const write = (): Promise<void> =>
      store.write(async (tables) => {
        const fax = await this.#ours(tables)
        if (!fax) return
        await tables.faxes.update(fax.accountId, id, change, clock.now())
        if (change.pagesDone !== undefined) await updateEntry(tables, { ...fax, ...change }, clock.now())
      })
    this.#notes = this.#notes.then(() => tasks.track(write())).catch((error: unknown) => onFailure(error, id))
  }

  async #ours(tables: Tables): Promise<Fax | undefined> {
    const { accountId, id } = this.#fax
    const fax = await tables.faxes.lock(accountId, id)
    return fax?.owner === this.#deps.leases.owner ? fax : undefined
  }

  async #close(tables: Tables, end: TryEnd): Promise<void> {
    const { clock } = this.#deps
    const { accountId, id: sessionId, talkSeconds } = this.#fax
    const fax = await this.#ours(tables)
    if (fax) await endTry(tables, clock, fax, end)
    else if (!(await tables.faxes.find(accountId, sessionId)))
      // Erased while being sent; the cost is charged anyway.
      await settleFax(tables, clock, { accountId, sessionId, seconds: talkSeconds + end.talkSeconds, pages: end.pagesDone })
  }
}

/** Undefined while the leg has not ended. */
const endOf = (leg: FaxLeg): Promise<LegEnd | undefined> => Promise.race([leg.ended, Promise.resolve(undefined)])

/** Seconds before the end of the reservation at which it is extended: one page at the lowest speed. */
const aheadSeconds = 90
const sliceSeconds = 60

type PurseDeps = Pick<SendingDeps, 'store' | 'clock' | 'tasks' | 'onFailure'>

/**
 * Reservation of a fax in progress. A slow line takes longer than reserved; without funds the fax ends between
 * two pages rather than within one, because half a page is wasted.
 */
class FaxBilling {
  readonly #deps: PurseDeps
  readonly #fax: Fax
  readonly #startedAt: number
  readonly #empty: () => void
  #paid: number
  #exhausted = false
  #asking = false
  #closed = false
  #cancelEnd: () => void = () => {}

  /** `paid`: seconds over all attempts. */
  constructor(deps: PurseDeps, fax: Fax, paid: number, empty: () => void) {
    this.#deps = deps
    this.#fax = fax
    this.#startedAt = deps.clock.now()
    this.#paid = paid
    this.#empty = empty
  }

  /** Call at an interval. */
  look(): void {
    if (this.#asking || this.#left > aheadSeconds) return
    this.#asking = true
    const asked = this.#ask()
      .catch((error: unknown) => this.#deps.onFailure(error, this.#fax.id))
      .finally(() => (this.#asking = false))
    void this.#deps.tasks.track(asked)
  }

  /** `pages`: over all attempts. Starts the next page only if the reservation is expected to cover it. */
  pageDone(pages: number): void {
    const perPage = this.#elapsed / Math.max(pages - this.#fax.pagesDone, 1)
    if (this.#exhausted && pages < this.#fax.pages && this.#left < perPage) this.#empty()
  }

  close(): void {
    this.#closed = true
    this.#cancelEnd()
  }

  get #elapsed(): number {
    return (this.#deps.clock.now() - this.#startedAt) / 1000
  }

  get #left(): number {
    return this.#paid - this.#fax.talkSeconds - this.#elapsed
  }

  async #ask(): Promise<void> {
    const { store, clock } = this.#deps
    const { accountId, id: sessionId, pages, talkSeconds } = this.#fax
    const seconds = Math.ceil(talkSeconds + this.#elapsed + aheadSeconds + sliceSeconds)
    this.#paid = await store.write((tables) => extendFax(tables, clock, { accountId, sessionId, seconds, pages }))
    if (this.#closed) return
    this.#cancelEnd()
    this.#exhausted = this.#left <= aheadSeconds
    if (this.#exhausted) this.#cancelEnd = clock.after(this.#left * 1000, this.#empty)
  }
}
