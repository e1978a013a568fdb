import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import {
  type Ask,
  type NewsQuery,
  type Here,
  type Listener,
  type ListenerMessage,
  type ListenerName,
  PendingRequests,
  noAnswerText,
  overloaded,
  maxSilenceMs,
  heartbeatIntervalMs,
} from './relay.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound.ts'

/** Milliseconds between announcements of local listeners. */
const notifyIntervalMs = 5_000
/** Milliseconds without an announcement before a listener counts as gone. */
const lostAfterMs = 15_000

interface RemoteListenersDeps {
  bus: Bus
  /** Bus name of this process. */
  self: string
  /** Wall clock, not the sandbox clock that an operator can put forward. */
  clock: Clock
  onError: (error: unknown) => void
}

/** Subject for all processes; a name appended to it addresses one. */
const subject = 'listen'

interface Said {
  from: string
  message: ListenerMessage
}

interface LocalListener {
  here: Here
  listener: Listener
}

/**
 * Tracks listeners in other processes and announces local ones. All processes agree on the newest one of a flow: a listener is newer than all
 * that its process knew of, independent of the clocks.
 */
export class RemoteListeners {
  readonly #deps: RemoteListenersDeps
  /** Newest listener of each flow, if it is connected to this process. */
  readonly #local = new Map<string, LocalListener>()
  readonly #remote = new Map<string, RemoteListener>()
  readonly #notListening: (() => void)[]
  #cancelTimer: () => void = () => {}

  constructor(deps: RemoteListenersDeps) {
    this.#deps = deps
    const { bus, self } = deps
    const take = (said: unknown): void => this.#take(said as Said)
    const changed = (connected: boolean): void => (connected ? this.#connected() : this.#lost())
    this.#notListening = [bus.hear(subject, take), bus.hear(`${subject}.${self}`, take), bus.onConnection(changed)]
    if (bus.connected) this.#connected()
  }

  async close(): Promise<void> {
    for (const leave of this.#notListening) leave()
    this.#cancelTimer()
    this.#lost()
  }

  of(accountId: string, flowId: string): Listener | undefined {
    return this.#remoteAt(keyOf({ accountId, flowId }))
  }

  /** Announces a listener connected to this process. Returns a function that removes it. */
  notify(accountId: string, flowId: string, listener: Listener): () => void {
    const { clock } = this.#deps
    const name = { accountId, flowId, id: listener.id }
    const key = keyOf(name)
    const remote = this.#remote.get(key)
    const since = Math.max(clock.now(), 1 + (remote?.since ?? 0), 1 + (this.#local.get(key)?.here.since ?? 0))
    const here: Here = { type: 'here', ...name, ...(listener.to !== undefined && { to: listener.to }), since }
    if (this.#local.size === 0) this.#notifyLater()
    this.#local.set(key, { here, listener })
    remote?.replaced()
    this.#say(here)
    return () => {
      this.#forget(name)
      this.#say({ type: 'gone', ...name })
    }
  }

  #connected(): void {
    this.#say({ type: 'hello' })
    this.#notifyAll()
  }

  #lost(): void {
    for (const remote of this.#remote.values()) remote.broke()
  }

  /** Returns false if the bus is disconnected. */
  #say(message: ListenerMessage, to?: string): boolean {
    const { bus, self } = this.#deps
    bus.notify(to === undefined ? subject : `${subject}.${to}`, { from: self, message } satisfies Said)
    return bus.connected
  }

  #take({ from, message }: Said): void {
    if (from === this.#deps.self) return
    if (message.type === 'hello') return this.#notifyAll(from)
    if (message.type === 'here') return this.#greetNode(from, message)
    if (message.type === 'ask') return this.#ask(from, message)
    const remote = this.#remote.get(keyOf(message))
    if (remote?.id !== message.id) return
    if (message.type === 'gone') remote.broke()
    else remote.heard(message)
  }

  #greetNode(from: string, here: Here): void {
    const key = keyOf(here)
    const [local, remote] = [this.#local.get(key), this.#remoteAt(key)]
    if (remote?.id === here.id) return remote.seen()
    if (local && isYounger(local.here, here)) return void this.#say(local.here, from) // the sender did not know of it
    if (remote && isYounger(remote, here)) return
    this.#forget(local?.here)
    const { clock } = this.#deps
    const onOver = (): void => {
      if (this.#remote.get(key) === newest) this.#remote.delete(key)
    }
    const newest = new RemoteListener(here, { clock, say: (ask) => this.#say(ask, from), onOver })
    this.#remote.set(key, newest)
    remote?.replaced()
    local?.listener.replaced()
  }

  #remoteAt(key: string): RemoteListener | undefined {
    const remote = this.#remote.get(key)
    if (remote && remote.silentMs > lostAfterMs) remote.broke()
    return this.#remote.get(key)
  }

  #ask(from: string, ask: Ask): void {
    const local = this.#local.get(keyOf(ask))
    const { clock, onError } = this.#deps
    const say = (news: NewsQuery): void => void this.#say(news, from)
    requestForPeer({ clock, say }, local?.here.id === ask.id ? local.listener : undefined, ask).catch(onError)
  }

  #forget(name: ListenerName | undefined): void {
    if (!name || this.#local.get(keyOf(name))?.here.id !== name.id) return
    this.#local.delete(keyOf(name))
    if (this.#local.size === 0) this.#cancelTimer()
  }

  #notifyAll(to?: string): void {
    for (const { here } of this.#local.values()) this.#say(here, to)
  }

  #notifyLater(): void {
    this.#cancelTimer = this.#deps.clock.after(notifyIntervalMs, () => {
      this.#notifyAll()
      this.#notifyLater()
    })
  }
}

const keyOf = ({ accountId, flowId }: Omit<ListenerName, 'id'>): string => `${accountId} ${flowId}`

/** Breaks a tie by id, so that all processes agree. */
const isYounger = (one: Pick<Here, 'since' | 'id'>, other: Pick<Here, 'since' | 'id'>): boolean =>
  one.since === other.since ? one.id > other.id : one.since > other.since

interface RemoteListenerDeps {
  clock: Clock
  /** Sends to the listener's process. Returns false if the bus is unavailable. */
  say: (message: Ask) => boolean
  /** Called when the listener is gone. */
  onOver: () => void
}

/** A listener that is connected to another process of the installation. */
class RemoteListener implements Listener {
  readonly since: number
  readonly #here: Here
  readonly #deps: RemoteListenerDeps
  readonly #pending: PendingRequests
  #heardAt: number
  #ended = false
  #cancelTimer: () => void = () => {}

  constructor(here: Here, deps: RemoteListenerDeps) {
    this.#here = here
    this.since = here.since
    this.#deps = deps
    this.#pending = new PendingRequests(deps.clock)
    this.#heardAt = deps.clock.elapsed()
  }

  get id(): string {
    return this.#here.id
  }

  get to(): string | undefined {
    return this.#here.to
  }

  get over(): boolean {
    return this.#ended
  }

  /** Milliseconds since the last announcement by its process. */
  get silentMs(): number {
    return this.#deps.clock.elapsed() - this.#heardAt
  }

  async request(wanted: OutboundRequest): Promise<OutboundReply> {
    if (this.#ended) throw noAnswerText()
    if (this.#pending.size === 0) this.#expectSign()
    try {
      return await this.#pending.send(wanted, (id) => this.#transmit(id, wanted))
    } finally {
      if (this.#pending.size === 0) this.#cancelTimer()
    }
  }

  /** Its process confirms that it is connected. */
  seen(): void {
    this.#heardAt = this.#deps.clock.elapsed()
    if (this.#pending.size > 0) this.#expectSign()
  }

  heard(news: NewsQuery): void {
    this.seen()
    const pending = this.#pending.of(news.flight)
    if (news.type === 'sign' && news.wired) pending?.request.onWire?.()
    if (news.type === 'reply') pending?.resolve({ status: news.status, headers: news.headers, body: Buffer.from(news.body, 'base64') })
    if (news.type === 'failure') pending?.fail(new OutboundFailure(news.kind, news.message, news.status))
    if (news.type === 'failure' && news.over) this.broke()
  }

  replaced(): void {
    this.broke()
  }

  /** The listener is gone: fails pending requests. */
  broke(): void {
    if (this.#ended) return
    this.#ended = true
    this.#cancelTimer()
    this.#deps.onOver()
    this.#pending.break()
  }

  /** Waits in two steps: if this process itself was stalled, it receives the queued messages in between. */
  #expectSign(): void {
    const { clock } = this.#deps
    this.#cancelTimer()
    this.#cancelTimer = clock.after(maxSilenceMs - heartbeatIntervalMs, () => {
      this.#cancelTimer = clock.after(heartbeatIntervalMs, () => this.broke())
    })
  }

  #transmit(flight: string, { headers = {}, body = '', deadlineMs, maxBytes }: OutboundRequest): void {
    const { accountId, flowId, id } = this.#here
    const ask: Ask = { type: 'ask', accountId, flowId, id, flight, request: { headers, body, deadlineMs, maxBytes } }
    if (!this.#deps.say(ask)) throw overloaded()
  }
}

interface PeerRequestDeps {
  clock: Clock
  /** Sends to the requesting process. */
  say: (news: NewsQuery) => void
}

/** Sends another process's request to a local listener and confirms periodically that it is pending. */
const requestForPeer = async ({ clock, say }: PeerRequestDeps, listener: Listener | undefined, ask: Ask): Promise<void> => {
  const { accountId, flowId, id, flight, request } = ask
  const name = { accountId, flowId, id, flight }
  let cancel = (): void => {}
  const sign = (): void => {
    say({ ...name, type: 'sign', wired: false })
    cancel = clock.after(heartbeatIntervalMs, sign)
  }
  sign()
  try {
    if (!listener) throw noAnswerText()
    const onWire = (): void => say({ ...name, type: 'sign', wired: true })
    const { status, headers, body } = await listener.request({ ...request, method: 'POST', url: `listener:${id}`, onWire })
    say({ ...name, type: 'reply', status, headers, body: body.toString('base64') })
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const { kind, message, status } = error
    const ended = listener?.over ?? true
    say({ ...name, type: 'failure', kind, message, ...(status !== undefined && { status }), over: ended })
  } finally {
    cancel()
  }
}

/** The listener of each flow: only the newest, in this process or another one of the installation. */
export class Listeners {
  readonly #here = new Map<string, Listener>()
  readonly #others: RemoteListeners | undefined

  constructor(others?: RemoteListeners) {
    this.#others = others
  }

  /** Adds a listener that is connected to this process. Returns a function that removes it. */
  add(accountId: string, flowId: string, listener: Listener): () => void {
    const key = listenerKey(accountId, flowId)
    const older = this.#here.get(key)
    this.#here.set(key, listener)
    const leave = this.#others?.notify(accountId, flowId, listener)
    older?.replaced()
    return () => {
      if (this.#here.get(key) === listener) this.#here.delete(key)
      leave?.()
    }
  }

  of(accountId: string, flowId: string): Listener | undefined {
    const here = this.#here.get(listenerKey(accountId, flowId))
    return here?.over === false ? here : this.#others?.of(accountId, flowId)
  }
}

const listenerKey = (accountId: string, flowId: string): string => `${accountId} ${flowId}`
