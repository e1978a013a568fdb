import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Intercom, IntercomEar } from '#core/kernel/ports/intercom.ts'
import { requestForPeer } from './request-for-peer.ts'
import { RemoteListener } from './remote-listener.ts'
import type { Ask, Here, Listener, ListenerMessage, ListenerName } from './listener-messages.ts'

/** How often a process announces its listeners. */
const tellEveryMs = 5_000
/** A listener that was not announced for this long is gone. */
const goneMs = 15_000

export interface RemoteListenersParts {
  intercom: Intercom
  /** Never put forward. */
  clock: Clock
  onError: (error: unknown) => void
}

interface LocalListener {
  here: Here
  listener: Listener
}

/**
 * The listeners at other processes of the installation; announces those at this one. Each process decides alike which is the newest
 * of a flow: a listener is newer than all that its process knew of, whatever the clocks say.
 */
export class RemoteListeners implements IntercomEar {
  readonly #parts: RemoteListenersParts
  /** By flow: the newest listener, if it is connected here. */
  readonly #local = new Map<string, LocalListener>()
  readonly #remote = new Map<string, RemoteListener>()
  #cancelTimer: () => void = () => {}

  constructor(parts: RemoteListenersParts) {
    this.#parts = parts
    parts.intercom.attach(this)
  }

  of(accountId: string, flowId: string): Listener | undefined {
    return this.#remoteAt(keyOf({ accountId, flowId }))
  }

  /** A listener has connected here. Returns how to remove it. */
  tell(accountId: string, flowId: string, listener: Listener): () => void {
    const { intercom, clock } = this.#parts
    const name = { accountId, flowId, id: listener.id }
    const key = keyOf(name)
    const remote = this.#remote.get(key)
    const since = Math.max(clock.now(), 1 + (remote?.since ?? 0), 1 + (this.#local.get(key)?.here.since ?? 0))
    const here: Here = { type: 'here', ...name, ...(listener.to !== undefined && { to: listener.to }), since }
    if (this.#local.size === 0) this.#tellLater()
    this.#local.set(key, { here, listener })
    remote?.replaced()
    intercom.say(here)
    return () => {
      this.#forget(name)
      intercom.say({ type: 'gone', ...name })
    }
  }

  connected(): void {
    this.#parts.intercom.say({ type: 'hello' })
    this.#tellAll()
  }

  lost(): void {
    for (const remote of this.#remote.values()) remote.broke()
  }

  heard(from: string, said: unknown): void {
    const message = said as ListenerMessage
    if (message.type === 'hello') return this.#tellAll(from)
    if (message.type === 'here') return this.#meet(from, message)
    if (message.type === 'ask') return this.#ask(from, message)
    const remote = this.#remote.get(keyOf(message))
    if (remote?.id !== message.id) return
    if (message.type === 'gone') remote.broke()
    else remote.heard(message)
  }

  #meet(from: string, here: Here): void {
    const key = keyOf(here)
    const [local, remote] = [this.#local.get(key), this.#remoteAt(key)]
    if (remote?.id === here.id) return remote.seen()
    if (local && isYounger(local.here, here)) return void this.#parts.intercom.say(local.here, from) // that one did not know
    if (remote && isYounger(remote, here)) return
    this.#forget(local?.here)
    const { clock, intercom } = this.#parts
    const onOver = (): void => {
      if (this.#remote.get(key) === newest) this.#remote.delete(key)
    }
    const newest = new RemoteListener(here, { clock, say: (ask) => intercom.say(ask, from), onOver })
    this.#remote.set(key, newest)
    remote?.replaced()
    local?.listener.replaced()
  }

  #remoteAt(key: string): RemoteListener | undefined {
    const remote = this.#remote.get(key)
    if (remote && remote.silentMs > goneMs) remote.broke()
    return this.#remote.get(key)
  }

  #ask(from: string, ask: Ask): void {
    const local = this.#local.get(keyOf(ask))
    const { clock, intercom, onError } = this.#parts
    const say = (news: object): void => void intercom.say(news, from)
    requestForPeer({ clock, say }, local?.here.id === ask.id ? local.listener : undefined, ask).catch(onError)
  }

  #forget(name: ListenerName | undefined): void {
    if (!name || this.#local.get(keyOf(name))?.here.id !== name.id) return
    this.#local.delete(keyOf(name))
    if (this.#local.size === 0) this.#cancelTimer()
  }

  #tellAll(to?: string): void {
    for (const { here } of this.#local.values()) this.#parts.intercom.say(here, to)
  }

  #tellLater(): void {
    this.#cancelTimer = this.#parts.clock.after(tellEveryMs, () => {
      this.#tellAll()
      this.#tellLater()
    })
  }
}

const keyOf = ({ accountId, flowId }: Omit<ListenerName, 'id'>): string => `${accountId} ${flowId}`

/** At the same moment, all agree on one of them. */
const isYounger = (one: Pick<Here, 'since' | 'id'>, other: Pick<Here, 'since' | 'id'>): boolean =>
  one.since === other.since ? one.id > other.id : one.since > other.since
