import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Intercom, IntercomEar } from '#core/kernel/ports/intercom.ts'
import { requestForPeer } from './request-for-peer.ts'
import { RemoteListener } from './remote-listener.ts'
import type { Ask, Here, Listener, ListenerMessage, ListenerName } from './listener-messages.ts'

/** So often a process says who listens there. */
const tellEveryMs = 5_000
/** Who was not heard of for so long is gone. */
const goneMs = 15_000

export interface RemoteListenersParts {
  intercom: Intercom
  /** Never put forward. */
  clock: Clock
  onError: (error: unknown) => void
}

interface Near {
  here: Here
  listener: Listener
}

/**
 * Who listens at other processes of the installation, and what they are told about those here. Each process decides alike who is the newest
 * of a flow: a listener is younger than everybody its process knew of, whatever the clocks say.
 */
export class RemoteListeners implements IntercomEar {
  readonly #parts: RemoteListenersParts
  /** By flow: those that are the newest. */
  readonly #near = new Map<string, Near>()
  readonly #far = new Map<string, RemoteListener>()
  #cancelTimer: () => void = () => {}

  constructor(parts: RemoteListenersParts) {
    this.#parts = parts
    parts.intercom.attach(this)
  }

  of(accountId: string, flowId: string): Listener | undefined {
    return this.#farAt(keyOf({ accountId, flowId }))
  }

  /** Somebody listens here from now on. Returns what ends it. */
  tell(accountId: string, flowId: string, listener: Listener): () => void {
    const { intercom, clock } = this.#parts
    const name = { accountId, flowId, id: listener.id }
    const key = keyOf(name)
    const far = this.#far.get(key)
    const since = Math.max(clock.now(), 1 + (far?.since ?? 0), 1 + (this.#near.get(key)?.here.since ?? 0))
    const here: Here = { type: 'here', ...name, ...(listener.to !== undefined && { to: listener.to }), since }
    if (this.#near.size === 0) this.#tellLater()
    this.#near.set(key, { here, listener })
    far?.replaced()
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
    for (const far of this.#far.values()) far.broke()
  }

  heard(from: string, said: unknown): void {
    const message = said as ListenerMessage
    if (message.type === 'hello') return this.#tellAll(from)
    if (message.type === 'here') return this.#meet(from, message)
    if (message.type === 'ask') return this.#ask(from, message)
    const far = this.#far.get(keyOf(message))
    if (far?.id !== message.id) return
    if (message.type === 'gone') far.broke()
    else far.heard(message)
  }

  #meet(from: string, here: Here): void {
    const key = keyOf(here)
    const [near, far] = [this.#near.get(key), this.#farAt(key)]
    if (far?.id === here.id) return far.seen()
    if (near && isYounger(near.here, here)) return void this.#parts.intercom.say(near.here, from) // that one did not know
    if (far && isYounger(far, here)) return
    this.#forget(near?.here)
    const { clock, intercom } = this.#parts
    const onOver = (): void => {
      if (this.#far.get(key) === newest) this.#far.delete(key)
    }
    const newest = new RemoteListener(here, { clock, say: (ask) => intercom.say(ask, from), onOver })
    this.#far.set(key, newest)
    far?.replaced()
    near?.listener.replaced()
  }

  #farAt(key: string): RemoteListener | undefined {
    const far = this.#far.get(key)
    if (far && far.silentMs > goneMs) far.broke()
    return this.#far.get(key)
  }

  #ask(from: string, ask: Ask): void {
    const near = this.#near.get(keyOf(ask))
    const { clock, intercom, onError } = this.#parts
    const say = (news: object): void => void intercom.say(news, from)
    requestForPeer({ clock, say }, near?.here.id === ask.id ? near.listener : undefined, ask).catch(onError)
  }

  #forget(name: ListenerName | undefined): void {
    if (!name || this.#near.get(keyOf(name))?.here.id !== name.id) return
    this.#near.delete(keyOf(name))
    if (this.#near.size === 0) this.#cancelTimer()
  }

  #tellAll(to?: string): void {
    for (const { here } of this.#near.values()) this.#parts.intercom.say(here, to)
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
