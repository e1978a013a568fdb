import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { requestForPeer } from './request-for-peer.ts'
import { RemoteListener } from './remote-listener.ts'
import type { Ask, NewsQuery, Here, Listener, ListenerMessage, ListenerName } from './listener-messages.ts'

/** How often a process announces its listeners. */
const notifyIntervalMs = 5_000
/** A listener that was not announced for this long is gone. */
const lostAfterMs = 15_000

export interface RemoteListenersDeps {
  bus: Bus
  /** This process: the name to answer to. */
  self: string
  /** Never put forward. */
  clock: Clock
  onError: (error: unknown) => void
}

/** To all processes, or with the name of one of them after it. */
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
 * The listeners at other processes of the installation; announces those at this one. Each process decides alike which is the newest
 * of a flow: a listener is newer than all that its process knew of, whatever the clocks say.
 */
export class RemoteListeners {
  readonly #deps: RemoteListenersDeps
  /** By flow: the newest listener, if it is connected here. */
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

  /** A listener has connected here. Returns how to remove it. */
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

  /** False when nobody hears it. */
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
    if (local && isYounger(local.here, here)) return void this.#say(local.here, from) // that one did not know
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

/** At the same moment, all agree on one of them. */
const isYounger = (one: Pick<Here, 'since' | 'id'>, other: Pick<Here, 'since' | 'id'>): boolean =>
  one.since === other.since ? one.id > other.id : one.since > other.since
