import type { Bus, Clock, PeerNodes } from '../ports/platform.ts'

interface SharedStateDeps {
  bus: Bus
  peerNodes: Pick<PeerNodes, 'self' | 'others' | 'onChange'>
  clock: Clock
  /** Topic shared by all nodes. */
  kind: string
}

/** Minimum interval of sequence reminders, so that a node that missed changes asks for them. */
const remindMs = 5_000
/** Milliseconds per other node: with many nodes each sends fewer reminders, so that none hears more than 20 per second. */
const remindMsPerNode = 50

/**
 * Replicates each node's own state to all nodes, by key: busy extensions, calls of a trunk. Changes are sent immediately, the full state
 * on request. It may be slightly stale, and a node's state is dropped when the node leaves. Inactive on a local bus.
 */
export class SharedState<T> {
  readonly #deps: SharedStateDeps
  readonly #own = new Map<string, T>()
  readonly #others: RemoteState<T>
  readonly #leave: (() => void)[] = []
  readonly #unsent = new Set<string>()
  #sequence = 0
  #cancelTimer: () => void = () => {}

  /** `changed`: called when another node's value for this key changed. */
  constructor(deps: SharedStateDeps, changed: (key: string) => void = () => {}) {
    this.#deps = deps
    const owners = (): ReadonlySet<string> => new Set(deps.peerNodes.others().map(({ owner }) => owner))
    this.#others = new RemoteState({ changed, missed: (of) => this.#ask(of), owners })
    if (!deps.bus.alone) this.#join()
  }

  /** Undefined removes the value. */
  set(key: string, value: T | undefined): void {
    if (this.#deps.bus.alone) return
    if (value === undefined) this.#own.delete(key)
    else this.#own.set(key, value)
    if (this.#unsent.size === 0) void Promise.resolve().then(() => this.#notifyChanges()) // batches changes of the same tick
    this.#unsent.add(key)
  }

  /** Values of the other nodes for this key. */
  others(key: string): T[] {
    return this.#others.of(key)
  }

  close(): void {
    this.#cancelTimer()
    for (const leave of this.#leave) leave()
  }

  get #subject(): string {
    return `state.${this.#deps.kind}`
  }

  #join(): void {
    const { bus, peerNodes } = this.#deps
    const hear = (message: unknown): void => {
      const { from } = message as StateMessage<T>
      if (from !== peerNodes.self) this.#others.hear(message as StateMessage<T>)
    }
    this.#leave.push(
      bus.hear(this.#subject, hear),
      bus.hear(`${this.#subject}.${peerNodes.self}`, hear),
      bus.hear(`${this.#subject}.ask`, (question) => this.#emitFinal(question as Question)),
      bus.onConnection((connected) => {
        if (connected) this.#ask()
      }),
      peerNodes.onChange(() => this.#others.keep()),
    )
    this.#ask()
    this.#remindLater()
  }

  #notifyChanges(): void {
    const changes = [...this.#unsent].map((key): Change<T> => [key, this.#own.get(key)])
    this.#unsent.clear()
    this.#notify(this.#subject, { sequence: ++this.#sequence, changes })
  }

  #emitFinal({ to, of }: Question): void {
    const { self } = this.#deps.peerNodes
    if (to === self || (of !== undefined && of !== self) || this.#sequence === 0) return
    if (this.#unsent.size > 0) this.#notifyChanges()
    this.#notify(`${this.#subject}.${to}`, { sequence: this.#sequence, changes: [...this.#own], whole: true })
  }

  #notify(subject: string, message: Omit<StateMessage<T>, 'from'>): void {
    this.#deps.bus.notify(subject, { from: this.#deps.peerNodes.self, ...message } satisfies StateMessage<T>)
  }

  #ask(of?: string): void {
    const question: Question = { to: this.#deps.peerNodes.self, ...(of !== undefined && { of }) }
    this.#deps.bus.notify(`${this.#subject}.ask`, question)
  }

  #remindLater(): void {
    const { clock, peerNodes } = this.#deps
    this.#cancelTimer = clock.after(Math.max(remindMs, peerNodes.others().length * remindMsPerNode), () => {
      if (this.#sequence > 0) this.#notify(this.#subject, { sequence: this.#sequence, changes: [] })
      this.#remindLater()
    })
  }
}

interface Question {
  to: string
  /** Missing: all nodes. */
  of?: string
}

/** Without a value: removed. In JSON undefined becomes null. */
type Change<T> = [key: string, value?: T | null | undefined]

interface StateMessage<T> {
  from: string
  /** Number of changes sent by this process, including this one; without changes it is only a reminder. */
  sequence: number
  changes: readonly Change<T>[]
  /** Full state instead of a delta. */
  whole?: true
}

interface OthersStateDeps {
  changed: (key: string) => void
  /** Called when messages of this process were missed. */
  missed: (from: string) => void
  /** The other nodes. */
  owners: () => ReadonlySet<string>
}

interface Peer<T> {
  sequence: number
  keys: Set<string>
  /** It was a peer node; one that is not yet known keeps its state. */
  isKnown: boolean
  /** Messages buffered until the full state arrives. */
  waiting: StateMessage<T>[] | undefined
}

/** State published by other nodes. */
class RemoteState<T> {
  readonly #deps: OthersStateDeps
  readonly #peers = new Map<string, Peer<T>>()
  /** By key, then by node. */
  readonly #values = new Map<string, Map<string, T>>()

  constructor(deps: OthersStateDeps) {
    this.#deps = deps
  }

  of(key: string): T[] {
    return [...(this.#values.get(key)?.values() ?? [])]
  }

  hear(message: StateMessage<T>): void {
    const { from, sequence, changes, whole } = message
    const peer = this.#peers.get(from) ?? this.#newPeer(from)
    if (whole) return this.#take(peer, message)
    const isNext = sequence === peer.sequence + (changes.length === 0 ? 0 : 1)
    if (isNext && !peer.waiting) return this.#apply(peer, message)
    if (sequence <= peer.sequence) return
    if (!peer.waiting || changes.length === 0) this.#deps.missed(from)
    peer.waiting = [...(peer.waiting ?? []), message]
  }

  /** Drops the state of nodes that are no longer peers. */
  keep(): void {
    if (this.#peers.size === 0) return
    const owners = this.#deps.owners()
    for (const [from, peer] of this.#peers) {
      const wasKnown = peer.isKnown
      peer.isKnown = owners.has(from)
      if (peer.isKnown || !wasKnown) continue
      this.#peers.delete(from)
      for (const key of peer.keys) this.#set(from, peer, [key])
    }
  }

  #newPeer(from: string): Peer<T> {
    const peer: Peer<T> = { sequence: 0, keys: new Set(), isKnown: this.#deps.owners().has(from), waiting: undefined }
    this.#peers.set(from, peer)
    return peer
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
