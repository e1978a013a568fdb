import type { MediaStream, Room, RoomRecording } from '../engine.ts'
import type { MediaThread } from './media-thread.ts'
import { nothingRecorded, Runs, type Order } from './runs.ts'
import { StreamHandle } from './stream-handle.ts'
import type { ThreadLink } from './thread-link.ts'

export interface RoomParts {
  id: number
  nextId: () => number
  openLink: (one: MediaThread, other: MediaThread) => ThreadLink
}

/** The part of a room that is on another thread than the first stream. */
interface Wing {
  id: number
  thread: MediaThread
  streams: Set<StreamHandle>
  link: ThreadLink
  /** How the others hear it, once there is a connection. */
  end: StreamHandle | undefined
}

/**
 * A room on a media thread, held by the main thread. It is on the thread of the first stream in it; streams of other threads meet in a wing there,
 * which a link connects. Streams that are opened near each other need none.
 */
export class RoomHandle implements Room {
  readonly id: number
  readonly runs: Runs
  readonly gone: Promise<void>
  readonly #parts: RoomParts
  readonly #wings = new Map<MediaThread, Wing>()
  /** The streams in the left channel of each recording. */
  readonly #left = new Map<number, readonly MediaStream[]>()
  /** What was wanted before the first stream came. */
  #waiting: Order[] = []
  #thread: MediaThread | undefined
  #open = true
  #leave: () => void = () => {}

  constructor(parts: RoomParts) {
    this.id = parts.id
    this.#parts = parts
    this.runs = new Runs(parts.id, parts.nextId, (order) => this.#tell(order))
    this.gone = new Promise((resolve) => (this.#leave = resolve))
  }

  add(stream: MediaStream): void {
    if (!this.#open || !(stream instanceof StreamHandle) || !stream.thread.alive) return
    if (this.#thread === undefined) this.#settle(stream.thread)
    if (this.#thread === stream.thread) this.#thread.tell({ do: 'add', room: this.id, stream: stream.id })
    else this.#addToWing(stream)
  }

  remove(stream: MediaStream): void {
    if (!this.#open || !(stream instanceof StreamHandle)) return
    if (stream.thread === this.#thread) this.#thread.tell({ do: 'remove', room: this.id, stream: stream.id })
    else this.#removeFromWing(stream)
  }

  record(file: string, channels: 1 | 2, left: readonly MediaStream[] = []): RoomRecording {
    if (!this.#open) return { ...nothingRecorded, divide: () => {} }
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
      stop: () => {
        this.#left.delete(id)
        return recording.stop()
      },
    }
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    for (const wing of this.#wings.values()) this.#closeWing(wing)
    void this.#end()
  }

  threadDied(thread: MediaThread): void {
    const wing = this.#wings.get(thread)
    if (wing) this.#closeWing(wing)
    if (thread !== this.#thread) return
    this.#thread = undefined
    this.runs.abandon()
  }

  /** Those in a wing are heard as one; on which side, only if they are all on the same. */
  #divide(recording: number, left: readonly MediaStream[]): void {
    const isLeft = (stream: StreamHandle): boolean => left.includes(stream)
    const here = left.filter((stream) => stream instanceof StreamHandle && stream.thread === this.#thread)
    const wings = [...this.#wings.values()].flatMap(({ streams, end }) => (end && [...streams].every(isLeft) ? end : []))
    const ids = [...here, ...wings].flatMap((stream) => (stream instanceof StreamHandle ? stream.id : []))
    this.#tell({ do: 'divide', room: this.id, recording, left: ids })
  }

  #divideAnew(): void {
    for (const [recording, left] of this.#left) this.#divide(recording, left)
  }

  #tell(order: Order): void {
    if (this.#thread) this.#thread.tell(order)
    else this.#waiting.push(order)
  }

  #settle(thread: MediaThread): void {
    this.#thread = thread
    thread.tell({ do: 'open-room', room: this.id })
    for (const order of this.#waiting.splice(0)) thread.tell(order)
    this.#divideAnew()
  }

  #addToWing(stream: StreamHandle): void {
    const wing = this.#wings.get(stream.thread) ?? this.#openWing(stream.thread)
    wing?.streams.add(stream)
    wing?.thread.tell({ do: 'add', room: wing.id, stream: stream.id })
    this.#divideAnew()
    void stream.gone.then(() => this.#removeFromWing(stream))
  }

  #removeFromWing(stream: StreamHandle): void {
    const wing = this.#wings.get(stream.thread)
    if (!wing?.streams.delete(stream)) return
    wing.thread.tell({ do: 'remove', room: wing.id, stream: stream.id })
    if (wing.streams.size === 0) this.#closeWing(wing)
    this.#divideAnew()
  }

  #openWing(thread: MediaThread): Wing | undefined {
    const main = this.#thread
    if (!main) return undefined
    const link = this.#parts.openLink(main, thread)
    const wing: Wing = { id: this.#parts.nextId(), thread, streams: new Set(), link, end: undefined }
    this.#wings.set(thread, wing)
    thread.tell({ do: 'open-room', room: wing.id })
    void link.ends.then((ends) => {
      if (!ends || this.#wings.get(thread) !== wing) return
      main.tell({ do: 'add', room: this.id, stream: ends[0].id })
      thread.tell({ do: 'add', room: wing.id, stream: ends[1].id })
      wing.end = ends[0]
      this.#divideAnew()
    })
    return wing
  }

  #closeWing(wing: Wing): void {
    this.#wings.delete(wing.thread)
    wing.link.close()
    void wing.thread.ask({ do: 'close', party: wing.id }).catch(() => {})
  }

  async #end(): Promise<void> {
    await this.#thread?.ask({ do: 'close', party: this.id }).catch(() => {})
    this.runs.abandon()
    this.#leave()
  }
}
