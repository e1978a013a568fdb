import type { PhoneNews, RingNews } from '@offhook/contract/v3/phone.ts'
import type { BrowserFarEnd, BrowserLegs } from '#core/kernel/ports/browser.ts'
import type { LegEnd } from '#core/kernel/ports/telephony.ts'
import type { Page } from './page.ts'

/** A message about one call, without its callId. */
type News = Exclude<PhoneNews, { type: 'ready' }> extends infer N ? (N extends PhoneNews ? Omit<N, 'callId'> : never) : never

export interface PhoneCallDeps {
  legs: BrowserLegs
  id: string
  /** The call's id in the call router; undefined for the echo test. */
  coreCallId: string | undefined
  /** Path for media as an alternative to WebRTC. */
  soundPath: (farEnd: BrowserFarEnd) => string
}

type Waited = 'missed' | 'elsewhere' | 'answered' | 'declined'

/** A call of one device: held by one page, or ringing at several. */
export class PhoneCall {
  readonly id: string
  readonly farEnd: BrowserFarEnd
  readonly #soundPath: PhoneCallDeps['soundPath']
  readonly #ringing = new Set<Page>()
  /** Last message of each type, for a page that missed some. */
  readonly #told = new Map<News['type'], News>()
  #page: Page | undefined
  #coreCallId: string | undefined
  #ring: RingNews | undefined
  /** True while the call may be answered after a push notice. */
  #awaited = false
  readonly #waited = Promise.withResolvers<Waited>()

  private constructor({ legs, id, coreCallId, soundPath }: PhoneCallDeps, offer?: string) {
    this.id = id
    this.#soundPath = soundPath
    this.#coreCallId = coreCallId
    const notified = {
      ringing: () => this.notify({ type: 'ringing' }),
      media: (sdp: string, early: boolean) => this.notify({ type: 'media', sdp, early }),
      answered: () => this.notify({ type: 'answered' }),
      held: (value: boolean) => this.notify({ type: 'held', value }),
      lostWay: () => this.offerSound(),
      moved: (callId: string) => {
        this.#coreCallId = callId
        this.notify({ type: 'call', coreCallId: callId })
      },
    }
    this.farEnd = legs.openBrowserLeg(notified, offer)
    void this.farEnd.leg.ended.then((end) => this.#ended(end))
  }

  /** Outbound call of the page. */
  static from(page: Page, deps: PhoneCallDeps, offer: string): PhoneCall {
    const call = new PhoneCall(deps, offer)
    call.#page = page
    call.#identify(page)
    return call
  }

  /** Inbound call that will ring at pages. */
  static to(ring: Omit<RingNews, 'callId' | 'type'>, deps: PhoneCallDeps): PhoneCall {
    const call = new PhoneCall(deps)
    call.#ring = { type: 'ring', callId: deps.id, ...ring }
    return call
  }

  get coreCallId(): string | undefined {
    return this.#coreCallId
  }

  /** True while it rings, at pages or elsewhere, unanswered. */
  get waits(): boolean {
    return this.#ring !== undefined && this.#page === undefined
  }

  /** Keeps ringing without a page. */
  awaitMore(): void {
    this.#awaited = true
  }

  awaitNoMore(): void {
    this.#awaited = false
    if (this.#ringing.size === 0 && this.waits) this.farEnd.vanishes()
  }

  /** Declines from a notice. */
  decline(): void {
    this.#waited.resolve('declined')
    this.farEnd.declines('rejected')
  }

  /** Resolves when it stops ringing. */
  get waited(): Promise<Waited> {
    return this.#waited.promise
  }

  ringAt(page: Page): void {
    if (!this.#ring || !this.waits || this.#ringing.has(page)) return
    this.#ringing.add(page)
    page.send(this.#ring)
    this.#identify(page)
  }

  notify(news: News): void {
    if (news.type !== 'problem' && news.type !== 'sound' && news.type !== 'call') this.#told.set(news.type, news)
    this.#page?.send({ ...news, callId: this.id })
  }

  /** Asks the page to open a WebSocket for the sound. */
  offerSound(): void {
    this.notify({ type: 'sound', path: this.#soundPath(this.farEnd) })
  }

  /** The first page that accepts gets the call. */
  async accept(page: Page, offer: string): Promise<void> {
    if (!this.waits) return
    this.#page = page
    this.#waited.resolve('answered')
    this.#ringing.delete(page)
    this.#stopRinging({ by: 'us', cause: 'answered_elsewhere' })
    await this.farEnd.accepts(offer)
  }

  has(page: Page): boolean {
    return this.#page === page || this.#ringing.has(page)
  }

  /** True if the page with this id has the call. */
  isAt(pageId: string): boolean {
    return this.#page?.id === pageId
  }

  /** Moves the call to the page's new connection and repeats the last messages. */
  moveTo(page: Page): void {
    this.#page = page
    this.#identify(page)
    for (const news of this.#told.values()) page.send({ ...news, callId: this.id })
  }

  /** `lost`: the connection was lost; the user did not hang up. */
  leave(page: Page, lost: boolean): void {
    if (this.#page === page) return lost ? this.farEnd.vanishes() : this.farEnd.hangsUp()
    if (this.#ringing.delete(page) && this.#ringing.size === 0 && this.waits && !this.#awaited) this.farEnd.vanishes()
  }

  #identify(page: Page): void {
    if (this.#coreCallId !== undefined) page.send({ type: 'call', callId: this.id, coreCallId: this.#coreCallId })
  }

  #ended(end: LegEnd): void {
    this.#waited.resolve(end.cause === 'answered_elsewhere' ? 'elsewhere' : end.by === 'peer' ? 'declined' : 'missed')
    this.notify({ type: 'ended', by: end.by, cause: end.cause, ...(end.cause === 'answered_elsewhere' && { elsewhere: true }) })
    this.#stopRinging(end)
  }

  #stopRinging({ by, cause }: LegEnd): void {
    for (const page of this.#ringing)
      page.send({ type: 'ended', callId: this.id, by, cause, ...(cause === 'answered_elsewhere' && { elsewhere: true }) })
    this.#ringing.clear()
  }
}
