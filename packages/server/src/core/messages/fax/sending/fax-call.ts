import { wholeSeconds } from '#core/telephone/call/money/prepaid.ts'
import { writeUntilDone } from '#core/kernel/work/write-with-retry.ts'
import { estimateFaxSeconds } from '#core/money/fax-estimate.ts'
import { extendFax, hasPrice, settleFax } from '#core/money/reservations.ts'
import type { FaxResult, FaxToSend } from '#core/kernel/ports/fax-transport.ts'
import type { Faxline } from '#core/kernel/ports/store/line/faxlines.ts'
import type { Fax, FaxChange } from '#core/kernel/ports/store/message/faxes.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { LegEnd, FaxLeg } from '#core/kernel/ports/telephony.ts'
import { dialFax } from './dial-fax.ts'
import { endTry, type TryEnd } from '../state/end-try.ts'
import { updateEntry } from '../state/fax-entry.ts'
import { FaxBilling } from './fax-purse.ts'
import { routeTo, senderOf, type FaxRoute } from './fax-route.ts'
import { callDropped, reasonOfCause, reasonOfResult, type FaxReason } from '../state/reasons.ts'
import type { SendingDeps } from './sending-parts.ts'

/** How often it is checked whether the fax was cancelled. */
const pollMs = 15_000
/** A photo takes a quarter of an hour on a slow line. A far end that is gone is given up by T.30 within a minute after the page. */
const maxPageMs = 20 * 60_000
const maxHeaderLength = 50
const maxStationIdLength = 20

interface Prepared {
  route: Extract<FaxRoute, { kind: 'phones' | 'outside' }>
  /** Seconds. */
  paid: number
  faxline: Faxline
  number: string | undefined
  /** Its pages, on this machine. */
  file: string
}

/** One try to send a fax, from the call to what is written about it. */
export class FaxCall {
  readonly #deps: SendingDeps
  readonly #fax: Fax
  readonly #stopping = new AbortController()
  /** Why we ended it. */
  #stopped: FaxReason | undefined
  #leg: FaxLeg | undefined
  #purse: FaxBilling | undefined
  #cancelLimit: () => void = () => {}
  #answeredAt: number | undefined
  #pagesDone: number
  #notes: Promise<unknown> = Promise.resolve()

  /** `fax` as it was taken. */
  constructor(deps: SendingDeps, fax: Fax) {
    this.#deps = deps
    this.#fax = fax
    this.#pagesDone = fax.pagesDone
  }

  /** Resolves when it is over and written down. Never throws. */
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

  /** Whether it is still ours, and wanted. */
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

  /** How many seconds are paid for, of all tries together; enough for what is left, or none. */
  async #afford(tables: Tables, route: FaxRoute): Promise<number | FaxReason> {
    const { accountId, id: sessionId, pages, pagesDone, talkSeconds } = this.#fax
    const reservation = await tables.balances.findReservation(accountId, sessionId)
    // It was in service here when the fax was ordered, and is not any more: no price was agreed.
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
    // The disk is away, or it is the one of another machine: that may change.
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

  /** The next one has begun. */
  #limitPage(): void {
    this.#cancelLimit()
    this.#cancelLimit = this.#deps.clock.after(maxPageMs, () => this.stop('too_slow'))
  }

  /** Checks from now on at an interval; gives how to stop. */
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

  /** A page that the far end has confirmed is never sent again, whatever happens to us. */
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
      // Erased while it was being sent; what that cost is paid all the same.
      await settleFax(tables, clock, { accountId, sessionId, seconds: talkSeconds + end.talkSeconds, pages: end.pagesDone })
  }
}

/** If it is over already. */
const endOf = (leg: FaxLeg): Promise<LegEnd | undefined> => Promise.race([leg.ended, Promise.resolve(undefined)])
