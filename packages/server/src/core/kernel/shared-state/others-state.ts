/** Without a value: nothing any more. In JSON undefined becomes null. */
export type Change<T> = [key: string, value?: T | null | undefined]

export interface StateMessage<T> {
  from: string
  /** How many changes this process has told of, this one included; without changes it only reminds. */
  sequence: number
  changes: readonly Change<T>[]
  /** Everything, not only what is new. */
  whole?: true
}

export interface OthersStateDeps {
  changed: (key: string) => void
  /** Some of what this process said was not heard. */
  missed: (from: string) => void
}

interface Peer<T> {
  sequence: number
  keys: Set<string>
  /** Heard while the whole is waited for. */
  waiting: StateMessage<T>[] | undefined
}

/** What other processes said of themselves. */
export class RemoteState<T> {
  readonly #deps: OthersStateDeps
  readonly #peers = new Map<string, Peer<T>>()
  #peerNodes: ReadonlySet<string> = new Set()
  /** By name, then by process. */
  readonly #values = new Map<string, Map<string, T>>()

  constructor(deps: OthersStateDeps) {
    this.#deps = deps
  }

  of(key: string): T[] {
    return [...(this.#values.get(key)?.values() ?? [])]
  }

  hear(message: StateMessage<T>): void {
    const { from, sequence, changes, whole } = message
    const peer = this.#peers.get(from) ?? { sequence: 0, keys: new Set<string>(), waiting: undefined }
    this.#peers.set(from, peer)
    if (whole) return this.#take(peer, message)
    const isNext = sequence === peer.sequence + (changes.length === 0 ? 0 : 1)
    if (isNext && !peer.waiting) return this.#apply(peer, message)
    if (sequence <= peer.sequence) return
    if (!peer.waiting || changes.length === 0) this.#deps.missed(from)
    peer.waiting = [...(peer.waiting ?? []), message]
  }

  /** Forgets what those knew who were neighbours and are not any more. */
  keep(owners: readonly string[]): void {
    for (const [from, peer] of this.#peers) {
      if (owners.includes(from) || !this.#peerNodes.has(from)) continue
      this.#peers.delete(from)
      for (const key of peer.keys) this.#set(from, peer, [key])
    }
    this.#peerNodes = new Set(owners)
  }

  #take(peer: Peer<T>, message: StateMessage<T>): void {
    if (message.sequence < peer.sequence) return
    const named = new Set(message.changes.map(([key]) => key))
    const gone = [...peer.keys].filter((key) => !named.has(key)).map((key): Change<T> => [key])
    this.#apply(peer, { ...message, changes: [...gone, ...message.changes] })
    const waiting = peer.waiting ?? []
    peer.waiting = undefined
    for (const later of waiting) this.hear(later)
  }

  #apply(peer: Peer<T>, { from, sequence, changes }: StateMessage<T>): void {
    peer.sequence = sequence
    for (const change of changes) this.#set(from, peer, change)
  }

  #set(from: string, peer: Peer<T>, [key, value]: Change<T>): void {
    const values = this.#values.get(key) ?? new Map<string, T>()
    if (value === undefined || value === null) {
      peer.keys.delete(key)
      if (!values.delete(from)) return
    } else {
      peer.keys.add(key)
      values.set(from, value)
    }
    if (values.size === 0) this.#values.delete(key)
    else this.#values.set(key, values)
    this.#deps.changed(key)
  }
}
