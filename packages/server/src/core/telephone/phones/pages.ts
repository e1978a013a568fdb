import type { PageFrame, PhoneNews } from '@offhook/contract/v3/phone.ts'
import { randomUUID } from 'node:crypto'
import type { Bus, Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { PageView, PhonePages } from '#core/kernel/ports/browser.ts'
import type { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import type { CallFrame, HeldPages, Page, PageLine, PageOwner, Resumption } from './page.ts'

export interface PagesDeps {
  bus: Pick<Bus, 'alone' | 'notify' | 'hear'>
  peerNodes: Pick<PeerNodes, 'self' | 'others' | 'onChange'>
  clock: Clock
  /** Pages held by each node, keyed by device. */
  shared: (changed: (key: string) => void) => Pick<SharedState<HeldPages>, 'set' | 'others'>
}

/** Listener for page events; owns the calls. */
interface PagesObserver {
  /** A new page connected to another node. */
  came(page: Page): void
  said(page: Page, frame: CallFrame): void
  /** Moves the calls of an earlier page of the device to this one. Returns the ids of the calls on this node. */
  resumed(page: Page, wanted: Resumption): string[]
  /** `lost`: the connection broke and the page did not come back in time. */
  left(page: Page, lost: boolean): void
  /** A call of this node was declined from its notice. */
  declined(ticket: string): void
}

/** Messages between nodes: a call may be on another node than the page. */
type Passed =
  | { kind: 'news'; from: string; pageId: string; news: PhoneNews }
  | { kind: 'frame'; at: string; page: PageOwner & { id: string }; frame: CallFrame }
  | { kind: 'resume'; at: string; page: PageOwner & { id: string }; wanted: Resumption }
  | { kind: 'left'; pageId: string }
  | { kind: 'decline'; ticket: string }

interface HeldPage extends Page {
  view: PageView
  drop: () => void
  /** Set while the connection is broken; cancels the grace timer. */
  away: (() => void) | undefined
  /** Node of each call that is not on this one, keyed by call. */
  elsewhere: Map<string, string>
}

interface DistantPage extends Page {
  at: string
}

/** Milliseconds the calls of a page wait for it after its connection breaks; media continues. */
const reconnectGraceMs = 10_000
/** Milliseconds after which no other node is expected to claim a call. */
const silenceMs = 1_000

/**
 * All pages that can ring. A page is connected to one node, and a call may be on another: then messages use the bus, and media flows directly. A
 * page with a call on another node makes its next calls there, too, so that they can be joined.
 */
export class Pages implements PhonePages {
  readonly #deps: PagesDeps
  readonly #observer: PagesObserver
  readonly #held = new Map<string, HeldPage>()
  readonly #distant = new Map<string, DistantPage>()
  readonly #shared: Pick<SharedState<HeldPages>, 'set' | 'others'>
  readonly #leave: (() => void)[]
  readonly #timers = new Set<() => void>()

  constructor(deps: PagesDeps, observer: PagesObserver) {
    this.#deps = deps
    this.#observer = observer
    this.#shared = deps.shared((key) => this.#changed(key))
    const { bus, peerNodes } = deps
    this.#leave = bus.alone
      ? []
      : [bus.hear(subjectOf(peerNodes.self), (message) => this.#hear(message as Passed)), peerNodes.onChange(() => this.#keep())]
  }

  /** Registers a page connected to this node. */
  enter(owner: PageOwner, program: string, { send, drop }: PageLine) {
    const id = randomUUID()
    const view = { id, since: this.#deps.clock.now(), visible: true, program }
    const page: HeldPage = { ...owner, id, send, drop, view, away: undefined, elsewhere: new Map() }
    this.#held.set(id, page)
    this.#share(page)
    return {
      page,
      heed: (frame: PageFrame) => this.#handle(page, frame),
      leave: () => this.#left(page, false),
      lose: () => this.#lose(page),
    }
  }

  /** Pages on all nodes that can ring. */
  of(accountId: string, deviceId: string): Page[] {
    return [
      ...this.#here(accountId, deviceId),
      ...this.#shared.others(keyOf({ accountId, deviceId })).flatMap((held) => this.#distantOf(held)),
    ]
  }

  views(accountId: string, deviceId: string): PageView[] {
    const there = this.#shared.others(keyOf({ accountId, deviceId })).flatMap(({ pages }) => pages.filter(isThere))
    return [...this.#here(accountId, deviceId).map(({ view }) => view), ...there]
  }

  /** False when the node is unknown. */
  declineAt(at: string, ticket: string): boolean {
    const isThere = this.#deps.peerNodes.others().some(({ owner }) => owner === at)
    if (isThere) this.#pass(at, { kind: 'decline', ticket })
    return isThere
  }

  close(): void {
    for (const leave of this.#leave) leave()
    for (const cancel of this.#timers) cancel()
  }

  #here(accountId: string, deviceId: string): HeldPage[] {
    return [...this.#held.values()].filter((page) => page.accountId === accountId && page.deviceId === deviceId && !page.away)
  }

  #handle(page: HeldPage, frame: PageFrame): void {
    if (!this.#held.has(page.id)) return
    if (frame.type === 'visible') {
      page.view = { ...page.view, visible: frame.value }
      return this.#share(page)
    }
    if (frame.type === 'resume') return this.#resume(page, frame)
    const [busyAt] = page.elsewhere.values()
    if (frame.type === 'dial' && busyAt !== undefined) page.elsewhere.set(frame.callId, busyAt)
    const at = page.elsewhere.get(frame.callId)
    if (at === undefined) return this.#observer.said(page, frame)
    const { accountId, userId, deviceId, id } = page
    this.#pass(at, { kind: 'frame', at: this.#deps.peerNodes.self, page: { accountId, userId, deviceId, id }, frame })
  }

  #left(page: HeldPage, lost: boolean): void {
    if (!this.#held.delete(page.id)) return
    page.away?.()
    this.#share(page)
    for (const at of new Set(page.elsewhere.values())) this.#pass(at, { kind: 'left', pageId: page.id })
    this.#observer.left(page, lost)
  }

  #lose(page: HeldPage): void {
    if (!this.#held.has(page.id) || page.away) return
    page.away = this.#after(reconnectGraceMs, () => this.#left(page, true))
    this.#share(page)
  }

  /** Asks all nodes, because the calls may be anywhere. Reports calls that no node has as ended. */
  #resume(page: HeldPage, { pageId, callIds }: Resumption): void {
    const wanted = { pageId, callIds }
    const { accountId, userId, deviceId, id } = page
    const here = new Set(this.#takeOver(page, wanted))
    const notifyEnds = (): void => {
      for (const callId of callIds)
        if (!here.has(callId) && !page.elsewhere.has(callId)) page.send({ type: 'ended', callId, by: 'network', cause: 'failed' })
    }
    const others = this.#deps.peerNodes.others()
    const asked = { kind: 'resume', at: this.#deps.peerNodes.self, page: { accountId, userId, deviceId, id }, wanted } as const
    for (const { owner } of others) this.#pass(owner, asked)
    if (others.length === 0) notifyEnds()
    else this.#after(silenceMs, notifyEnds)
  }

  /** Keeps the earlier page for the grace period: by then every node knows that its calls have moved. */
  #takeOver(page: Page, wanted: Resumption): string[] {
    const before = this.#held.get(wanted.pageId)
    if (before && keyOf(before) === keyOf(page)) {
      before.drop()
      this.#lose(before)
    }
    return this.#observer.resumed(page, wanted)
  }

  #after(ms: number, work: () => void): () => void {
    const stop = this.#deps.clock.after(ms, () => {
      this.#timers.delete(cancel)
      work()
    })
    const cancel = (): void => {
      this.#timers.delete(cancel)
      stop()
    }
    this.#timers.add(cancel)
    return cancel
  }

  #share({ accountId, userId, deviceId }: PageOwner): void {
    const owner = { accountId, userId, deviceId }
    const held = [...this.#held.values()].filter((page) => keyOf(page) === keyOf(owner))
    const pages = held.map(({ view, away }) => ({ ...view, ...(away && { away: true as const }) }))
    this.#shared.set(keyOf(owner), pages.length === 0 ? undefined : { at: this.#deps.peerNodes.self, owner, pages })
  }

  /** The pages of this device on another node have changed. */
  #changed(key: string): void {
    const now = this.#shared.others(key).flatMap((held) => held.pages.map(({ id, away }) => ({ id, away, held })))
    for (const { id, held, away } of now)
      if (!away && !this.#distant.has(id)) this.#observer.came(this.#distantPage(id, held.owner, held.at))
    const there = new Set(now.map(({ id }) => id))
    for (const page of this.#distant.values()) if (keyOf(page) === key && !there.has(page.id)) this.#forget(page)
  }

  /** Removes the pages of nodes that are gone, and ends the calls those nodes had. */
  #keep(): void {
    const living = new Set(this.#deps.peerNodes.others().map(({ owner }) => owner))
    for (const page of this.#distant.values()) if (!living.has(page.at)) this.#forget(page)
    for (const page of this.#held.values())
      for (const [callId, at] of page.elsewhere) {
        if (living.has(at)) continue
        page.elsewhere.delete(callId)
        page.send({ type: 'ended', callId, by: 'network', cause: 'failed' })
      }
  }

  #forget(page: DistantPage): void {
    if (this.#distant.delete(page.id)) this.#observer.left(page, false)
  }

  #distantOf({ at, owner, pages }: HeldPages): Page[] {
    return pages.filter(isThere).map(({ id }) => this.#distantPage(id, owner, at))
  }

  #distantPage(id: string, owner: PageOwner, at: string): DistantPage {
    const known = this.#distant.get(id)
    if (known) return known
    const send = (news: PhoneNews): void => this.#pass(at, { kind: 'news', from: this.#deps.peerNodes.self, pageId: id, news })
    const page = { ...owner, id, at, send }
    this.#distant.set(id, page)
    return page
  }

  #pass(to: string, message: Passed): void {
    this.#deps.bus.notify(subjectOf(to), message)
  }

  #hear(message: Passed): void {
    if (message.kind === 'frame') return this.#observer.said(this.#distantPage(message.page.id, message.page, message.at), message.frame)
    if (message.kind === 'resume') {
      this.#takeOver(this.#distantPage(message.page.id, message.page, message.at), message.wanted)
      return
    }
    if (message.kind === 'decline') return this.#observer.declined(message.ticket)
    if (message.kind === 'left') {
      const page = this.#distant.get(message.pageId)
      return page && this.#forget(page)
    }
    const { from, pageId, news } = message
    const page = this.#held.get(pageId)
    if (!page) return this.#pass(from, { kind: 'left', pageId })
    if (news.type === 'ended') page.elsewhere.delete(news.callId)
    else if (news.type !== 'ready' && news.callId !== undefined) page.elsewhere.set(news.callId, from)
    page.send(news)
  }
}

const isThere = ({ away }: { away?: true }): boolean => !away

const subjectOf = (process: string): string => `phone.${process}`

const keyOf = ({ accountId, deviceId }: Pick<PageOwner, 'accountId' | 'deviceId'>): string => `${accountId}/${deviceId}`
