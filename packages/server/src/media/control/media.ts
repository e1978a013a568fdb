import { availableParallelism } from 'node:os'
import type { Media, MediaSettings, OpenStreamOptions, MediaStream, Room, StreamObserver, StreamQuality } from '../engine.ts'
import { summariseLateness } from '../thread/paced-loop.ts'
import { MediaThread, ThreadGone } from './media-thread.ts'
import { MemoryPool } from '../thread/shared-memory.ts'
import { MediaFull, type PortPool } from '../socket/port-pool.ts'
import type { MediaEvent } from './media-protocol.ts'
import { RoomHandle, ThreadLink } from './room-handle.ts'
import { permitFor, permitMemory } from '../socket/send-permit.ts'
import { localAddress, reachesFrom, type UdpKind } from '../socket/socket.ts'
import { loadLibc } from '../socket/socket-koffi.ts'
import { StreamHandle } from './stream-handle.ts'

export const startMedia = (settings: MediaSettings): Media => new MediaEngine(settings)

const defaultStreams = 100
const defaultSilence = { first: 30_000, later: 60_000 }

const noObserver: StreamObserver = { dtmf() {}, silent() {}, lost() {} }

/** Current or future thread of a stream. */
interface Place {
  id: number
  thread: MediaThread
  /** Another stream on that thread. */
  beside: number | undefined
}

/** Attempts to open a stream when its thread dies. */
const tries = 3

class MediaEngine implements Media {
  readonly udp: UdpKind
  readonly #settings: MediaSettings
  readonly #ports: PortPool
  readonly #memory: MemoryPool
  /** A thread is started on first use, and again after its death. */
  readonly #threads: (MediaThread | undefined)[]
  readonly #streams = new Map<number, StreamHandle>()
  readonly #rooms = new Map<number, RoomHandle>()
  readonly #opening = new WeakMap<Promise<MediaStream>, Place>()
  #lastId = 0
  /** Late turns of ended threads. */
  #lateBefore = 0
  #ticksBefore = 0
  #closed = false
  readonly #permit = permitMemory()

  constructor(settings: MediaSettings) {
    this.#settings = settings
    this.udp = settings.udp === 'dgram' ? 'dgram' : availableUdp()
    this.#memory = settings.memory ?? new MemoryPool()
    this.#ports = settings.ports
    this.#threads = Array.from({ length: Math.max(1, Math.min(settings.workers ?? 1, availableParallelism() * 2)) })
  }

  reaches(address: string): boolean {
    return reachesFrom(this.#settings.address, address)
  }

  openStream(observer: StreamObserver, { near, address }: OpenStreamOptions = {}): Promise<MediaStream> {
    const beside = near instanceof Promise ? this.#opening.get(near) : near instanceof StreamHandle ? near : undefined
    const place = this.#placeBeside(beside)
    const opening = this.#openAt(place, observer, address)
    this.#opening.set(opening, place)
    return opening
  }

  async #openAt(first: Place, observer: StreamObserver, address: string | undefined): Promise<MediaStream> {
    let place = first
    for (let i = 0; i < tries; i++) {
      try {
        return await this.#open(observer, place, address)
      } catch (error) {
        if (!(error instanceof ThreadGone)) throw error
        place = this.#placeBeside(undefined)
      }
    }
    throw new MediaFull()
  }

  #placeBeside(near: Pick<Place, 'id' | 'thread'> | undefined): Place {
    const thread = near?.thread.alive ? near.thread : this.#threadForNext()
    return { id: this.#nextId(), thread, beside: near?.thread === thread ? near.id : undefined }
  }

  async #open(observer: StreamObserver, { id: stream, thread, beside }: Place, address = this.#settings.address): Promise<StreamHandle> {
    if (this.#closed) throw new MediaFull()
    thread.load++
    try {
      for (;;) {
        const port = this.#ports.take()
        const opened = await thread.ask({ do: 'open', stream, address, port, beside }).catch((error: unknown) => {
          this.#ports.release(port)
          throw error
        })
        if (opened) return this.#keep(new StreamHandle({ id: stream, port, thread, observer, ...opened, ...this.#handling(observer) }))
        this.#ports.avoid(port)
      }
    } catch (error) {
      thread.load--
      throw error
    }
  }

  /** Internal streams between threads are not reported. */
  #handling(observer: StreamObserver) {
    const ended = (quality: StreamQuality): void => void (observer === noObserver || this.#settings.streamEnded?.(quality))
    return { memory: this.#memory, nextId: this.#nextId, ended }
  }

  #keep(stream: StreamHandle): StreamHandle {
    this.#streams.set(stream.id, stream)
    void stream.gone.then(() => {
      this.#streams.delete(stream.id)
      this.#ports.release(stream.localPort)
      stream.thread.load--
    })
    return stream
  }

  openRoom(): Room {
    const openLink = (one: MediaThread, other: MediaThread): ThreadLink => {
      const end = (thread: MediaThread) => this.#open(noObserver, { id: this.#nextId(), thread, beside: undefined })
      return new ThreadLink(localAddress(this.#settings.address), [end(one), end(other)])
    }
    const room = new RoomHandle({ id: this.#nextId(), nextId: this.#nextId, openLink })
    this.#rooms.set(room.id, room)
    void room.gone.then(() => this.#rooms.delete(room.id))
    return room
  }

  get streams(): number {
    return this.#streams.size
  }

  get lateTicks(): number {
    return this.#running.reduce((sum, thread) => sum + thread.lateTicks, this.#lateBefore)
  }

  get ticks(): number {
    return this.#running.reduce((sum, thread) => sum + thread.ticks, this.#ticksBefore)
  }

  async pacing(): Promise<{ p50: number; p99: number; frames: number }> {
    const asked = this.#running.map((thread) => thread.ask({ do: 'pacing' }).catch(() => new Uint32Array()))
    return summariseLateness(await Promise.all(asked))
  }

  async answers(): Promise<void> {
    await Promise.all(this.#running.map((thread) => thread.ask({ do: 'pulse' }).catch(() => {}))) // a dead thread is replaced
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#streams.values()].map((stream) => stream.close()))
    for (const room of this.#rooms.values()) room.close()
    await Promise.all(this.#running.map((thread) => thread.close()))
  }

  get #running(): MediaThread[] {
    return this.#threads.filter((thread) => thread !== undefined)
  }

  readonly #nextId = (): number => ++this.#lastId

  /** The first thread with room; when all are full, the least loaded. */
  #threadForNext(): MediaThread {
    const full = this.#settings.streamsPerWorker ?? defaultStreams
    const loads = this.#threads.map((thread) => thread?.load ?? 0)
    const withRoom = loads.findIndex((load) => load < full)
    const index = withRoom >= 0 ? withRoom : loads.indexOf(Math.min(...loads))
    return (this.#threads[index] ??= this.#startThread(index))
  }

  #startThread(index: number): MediaThread {
    const { address, silentAfterMs = defaultSilence } = this.#settings
    const thread: MediaThread = new MediaThread(
      { address, udp: this.udp, silentAfterMs, permit: this.#permit },
      {
        onEvent: (event) => this.#notified(event),
        died: (error) => {
          this.#threads[index] = undefined
          this.#lateBefore += thread.lateTicks
          this.#ticksBefore += thread.ticks
          this.#forget(thread)
          if (!this.#closed) this.#settings.threadDied?.(error)
        },
      },
    )
    this.#settings.threadStarted?.(thread.worker)
    return thread
  }

  permit(ms: number): void {
    permitFor(this.#permit, ms)
  }

  #notified(event: Exclude<MediaEvent, { tell: 'answer' }>): void {
    if (event.tell === 'lost') this.#settings.streamFailed?.(event.why)
    if ('stream' in event) return this.#streams.get(event.stream)?.onEvent(event)
    const party = this.#streams.get(event.party) ?? this.#rooms.get(event.party)
    party?.runs.onEvent(event)
  }

  #forget(thread: MediaThread): void {
    for (const room of this.#rooms.values()) room.threadDied(thread)
    for (const stream of this.#streams.values()) if (stream.thread === thread) stream.lost()
  }
}

/** The best UDP implementation of this system. */
export const availableUdp = (): UdpKind => {
  try {
    loadLibc()
    return 'koffi'
  } catch {
    return 'dgram'
  }
}
