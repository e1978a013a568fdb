import type { Listener } from './listener-messages.ts'
import type { RemoteListeners } from './remote-listeners.ts'

/** Which listener has a flow: one at a time, the newest, here or at another process of the installation. */
export class Listeners {
  readonly #here = new Map<string, Listener>()
  readonly #others: RemoteListeners | undefined

  constructor(others?: RemoteListeners) {
    this.#others = others
  }

  /** A listener has connected here. Returns how to remove it. */
  add(accountId: string, flowId: string, listener: Listener): () => void {
    const key = keyOf(accountId, flowId)
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
    const here = this.#here.get(keyOf(accountId, flowId))
    return here?.over === false ? here : this.#others?.of(accountId, flowId)
  }
}

const keyOf = (accountId: string, flowId: string): string => `${accountId} ${flowId}`
