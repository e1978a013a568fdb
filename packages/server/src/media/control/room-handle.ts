import type { MediaStream, Room, RoomRecording, StreamSettings } from '../engine.ts'
import type { MediaThread } from './media-thread.ts'
import { nothingRecorded, Runs, type Order } from './runs.ts'
import { StreamHandle } from './stream-handle.ts'

interface RoomParts {
  id: number
  nextId: () => number
  openLink: (one: MediaThread, other: MediaThread) => ThreadLink
}

/** The part of a room on another thread than the first stream's. */
interface RemoteLegs {
  id: number
  thread: MediaThread
  streams: Set<StreamHandle>
  link: ThreadLink
  /** The link through which the others hear it, once it is connected. */
  end: StreamHandle | undefined
}

/**
 * Main-thread side of a room. It runs on the thread of its first stream; streams of other threads join a wing there, which a link connects.
 * Streams opened near each other need none.
 */
export class RoomHandle implements Room {
  readonly id: number
  readonly runs: Runs
  readonly gone: Promise<void>
  readonly #deps: RoomParts
  readonly #shards = new Map<MediaThread, RemoteLegs>()
  /** Streams in the left channel of each recording. */
  readonly #left = new Map<number, readonly MediaStream[]>()
  /** Commands from before the first stream. */
  #waiting: Order[] = []
  #thread: MediaThread | undefined
  #open = true
  #leave: () => void = () => {}

  constructor(deps: RoomParts) {
    this.id = deps.id
    this.#deps = deps
    this.runs = new Runs(deps.id, deps.nextId, (order) => this.#notify(order))
    this.gone = new Promise((resolve) => (this.#leave = resolve))
  }

  add(stream: MediaStream): void {
    if (!this.#open || !(stream instanceof StreamHandle) || !stream.thread.alive) return
    if (this.#thread === undefined) this.#settle(stream.thread)
    if (this.#thread === stream.thread) this.#thread.notify({ do: 'add', room: this.id, stream: stream.id })
    else this.#addToShard(stream)
  }

  remove(stream: MediaStream): void {
    if (!this.#open || !(stream instanceof StreamHandle)) return
    if (stream.thread === this.#thread) this.#thread.notify({ do: 'remove', room: this.id, stream: stream.id })
    else this.#removeFromShard(stream)
  }

  record(file: string, channels: 1 | 2, left: readonly MediaStream[] = []): RoomRecording {
    if (!this.#open) return { ...nothingRecorded, divide: () => {}, pause: () => {} }
    const recording = this.runs.record(file, channels)
    const { id, opened } = recording
    const divide = (changed: readonly MediaStream[]): void => {
      this.#left.set(id, changed)
      this.#divide(id, changed)
    }
    divide(left)
    return {
      opened,
      divide,
      pause: (value) => this.#notify({ do: 'pause-recording', room: this.id, recording: id, value }),
      stop: () => {
        this.#left.delete(id)
        return recording.stop()
      },
    }
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    for (const wing of this.#shards.values()) this.#closeShard(wing)
    void this.#end()
  }

  threadDied(thread: MediaThread): void {
    const wing = this.#shards.get(thread)
    if (wing) this.#closeShard(wing)
    if (thread !== this.#thread) return
    this.#thread = undefined
    this.runs.abandon()
  }

  /** Streams in a wing are heard as one; they get a channel only if all are in the same. */
  #divide(recording: number, left: readonly MediaStream[]): void {
    const isLeft = (stream: StreamHandle): boolean => left.includes(stream)
    const here = left.filter((stream) => stream instanceof StreamHandle && stream.thread === this.#thread)
    const wings = [...this.#shards.values()].flatMap(({ streams, end }) => (end && [...streams].every(isLeft) ? end : []))
    const ids = [...here, ...wings].flatMap((stream) => (stream instanceof StreamHandle ? stream.id : []))
    this.#notify({ do: 'divide', room: this.id, recording, left: ids })
  }

  #divideAnew(): void {
    for (const [recording, left] of this.#left) this.#divide(recording, left)
  }

  #notify(order: Order): void {
    if (this.#thread) this.#thread.notify(order)
    else this.#waiting.push(order)
  }

  #settle(thread: MediaThread): void {
    this.#thread = thread
    thread.notify({ do: 'open-room', room: this.id })
    for (const order of this.#waiting.splice(0)) thread.notify(order)
    this.#divideAnew()
  }

  #addToShard(stream: StreamHandle): void {
    const wing = this.#shards.get(stream.thread) ?? this.#openShard(stream.thread)
    wing?.streams.add(stream)
    wing?.thread.notify({ do: 'add', room: wing.id, stream: stream.id })
    this.#divideAnew()
    void stream.gone.then(() => this.#removeFromShard(stream))
  }

  #removeFromShard(stream: StreamHandle): void {
    const wing = this.#shards.get(stream.thread)
    if (!wing?.streams.delete(stream)) return
    wing.thread.notify({ do: 'remove', room: wing.id, stream: stream.id })
    if (wing.streams.size === 0) this.#closeShard(wing)
    this.#divideAnew()
  }

  #openShard(thread: MediaThread): RemoteLegs | undefined {
    const main = this.#thread
    if (!main) return undefined
    const link = this.#deps.openLink(main, thread)
    const wing: RemoteLegs = { id: this.#deps.nextId(), thread, streams: new Set(), link, end: undefined }
    this.#shards.set(thread, wing)
    thread.notify({ do: 'open-room', room: wing.id })
    void link.ends.then((ends) => {
      if (!ends || this.#shards.get(thread) !== wing) return
      main.notify({ do: 'add', room: this.id, stream: ends[0].id })
      thread.notify({ do: 'add', room: wing.id, stream: ends[1].id })
      wing.end = ends[0]
      this.#divideAnew()
    })
    return wing
  }

  #closeShard(wing: RemoteLegs): void {
    this.#shards.delete(wing.thread)
    wing.link.close()
    void wing.thread.ask({ do: 'close', party: wing.id }).catch(() => {})
  }

  async #end(): Promise<void> {
    await this.#thread?.ask({ do: 'close', party: this.id }).catch(() => {})
    this.runs.abandon()
    this.#leave()
  }
}

const linkSettings: Omit<StreamSettings, 'remote'> = {
  codec: 'G722',
  payloadType: 9,
  dtmfPayloadType: 101,
  ptimeMs: 20,
  send: true,
  receive: true,
  srtp: undefined,
  alsoFrom: [],
}

/** Two connected streams on two threads, so that a room can span both. */
export class ThreadLink {
  /** Undefined: no port is left, or a thread died. */
  readonly ends: Promise<[StreamHandle, StreamHandle] | undefined>
  readonly #opening: [Promise<StreamHandle>, Promise<StreamHandle>]

  constructor(address: string, opening: [Promise<StreamHandle>, Promise<StreamHandle>]) {
    this.ends = Promise.allSettled(opening).then(([one, other]) => {
      if (one.status === 'rejected' || other.status === 'rejected') return undefined
      one.value.configure({ ...linkSettings, remote: { address, port: other.value.localPort } })
      other.value.configure({ ...linkSettings, remote: { address, port: one.value.localPort } })
      return [one.value, other.value]
    })
    this.#opening = opening
  }

  close(): void {
    for (const end of this.#opening)
      void end.then(
        (stream) => stream.close(),
        () => {},
      )
  }
}
