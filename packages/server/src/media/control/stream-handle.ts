import { isIP } from 'node:net'
import { isDtmf } from '../dtmf/dtmf-events.ts'
import { duplexRate } from '../stream/duplex-tap.ts'
import type {
  Announcement,
  DuplexSound,
  Feed,
  Layer,
  StreamSettings,
  MediaStream,
  Pcm,
  PcmRate,
  Playback,
  Recording,
  StreamFigures,
  StreamObserver,
  StreamQuality,
  Tap,
  PcmEndpoint,
} from '../engine.ts'
import { FeedHandle, nothingPlayed, nothingRecorded, ringSamples, Runs } from './runs.ts'
import type { MediaThread } from './media-thread.ts'
import { type MemoryPool, inSharedMemory } from '../thread/shared-memory.ts'
import type { MediaEvent } from './media-protocol.ts'
import { SampleRing } from '../thread/sample-ring.ts'

interface Parts {
  id: number
  port: number
  thread: MediaThread
  observer: StreamObserver
  descriptors: number[]
  /** Shared memory between threads. */
  memory: MemoryPool
  nextId: () => number
  /** Called with the quality when it is closed. */
  ended: (quality: StreamQuality) => void
}

const noFigures: StreamFigures = { packetsSent: 0, packetsReceived: 0, packetsLost: 0, packetsRefused: 0, jitterMs: 0 }

const pcmRate = 16_000

/** Two seconds of both sides: the reader polls every few milliseconds. */
const duplexRingSamples = 2 * 2 * duplexRate

/** Main-thread side of a stream. After its end all calls are ignored. */
export class StreamHandle implements MediaStream {
  readonly id: number
  readonly localPort: number
  readonly thread: MediaThread
  readonly runs: Runs
  readonly gone: Promise<void>
  readonly #nextId: () => number
  readonly #observer: StreamObserver
  readonly #ended: Parts['ended']
  readonly #descriptors: number[]
  readonly #memory: MemoryPool
  /** Rings that end with the stream. */
  readonly #rings = new Set<SampleRing>()
  /** Rings shared only by the main thread and the media thread. */
  readonly #pcmRings: SampleRing[] = []
  #open = true
  #leave: () => void = () => {}
  #closing: Promise<void> | undefined

  constructor({ id, port, thread, observer, descriptors, memory, nextId, ended }: Parts) {
    this.id = id
    this.localPort = port
    this.thread = thread
    this.runs = new Runs(id, nextId, (order) => thread.notify(order))
    this.#nextId = nextId
    this.#observer = observer
    this.#ended = ended
    this.#descriptors = descriptors
    this.#memory = memory
    thread.owns(descriptors)
    this.gone = new Promise((resolve) => (this.#leave = resolve))
  }

  configure(settings: StreamSettings): void {
    if (isIP(settings.remote.address) === 0) throw new TypeError('remote.address must be an IP address')
    if (this.#open) this.thread.notify({ do: 'configure', stream: this.id, settings })
  }

  openPcm(): PcmEndpoint {
    const [input, output] = [this.#openRing(ringSamples(pcmRate)), this.#openRing(ringSamples(pcmRate))]
    if (this.#open) this.thread.notify({ do: 'open-pcm', stream: this.id, input: input.buffer, output: output.buffer })
    this.#pcmRings.push(input, output)
    return {
      write: (samples) => input.write(samples),
      playedMs: () => (input.readUntilNow * 1000) / pcmRate,
      get available() {
        return output.available
      },
      read: (into) => output.read(into),
      has: (samples) => output.hasSamples(samples),
    }
  }

  mute(value: boolean): void {
    if (this.#open) this.thread.notify({ do: 'mute', stream: this.id, value })
  }

  echo(value: boolean): void {
    if (this.#open) this.thread.notify({ do: 'echo', stream: this.id, value })
  }

  wantKeys(value: boolean): void {
    if (this.#open) this.thread.notify({ do: 'want-keys', stream: this.id, value })
  }

  muteInput(value: boolean): void {
    if (this.#open) this.thread.notify({ do: 'hush', stream: this.id, value })
  }

  duck(value: boolean): void {
    if (this.#open) this.thread.notify({ do: 'duck', stream: this.id, value })
  }

  play(sound: Pcm, { loop = false, layer = 'usual' }: { loop?: boolean; layer?: Layer } = {}): Playback {
    return this.#open ? this.runs.play(sound, layer, loop) : nothingPlayed
  }

  announce(sound: Pcm, layer: 'notice' | 'announcement' = 'announcement'): Announcement {
    return this.#open ? this.runs.play(sound, layer) : nothingPlayed
  }

  feed(rate: PcmRate = 8000): Feed {
    const ring = this.#openRing(ringSamples(rate))
    const playback = this.#open
      ? this.runs.start((id) => ({ do: 'feed', stream: this.id, playback: id, buffer: ring.buffer, rate }))
      : nothingPlayed
    const feed = new FeedHandle(ring, rate, playback)
    void feed.done.then(() => this.#release(ring)) // the media thread has reported it, if it got the feed
    return feed
  }

  background(sound: Pcm | undefined, volume: number): void {
    if (!this.#open) return
    const shared = sound && { samples: inSharedMemory(sound.samples), rate: sound.rate ?? 8000, volume }
    this.thread.notify({ do: 'background', stream: this.id, sound: shared })
  }

  tap(rate: PcmRate = 8000): Tap {
    const ring = this.#openRing(ringSamples(rate))
    const tap = this.#nextId()
    if (this.#open) this.thread.notify({ do: 'tap', stream: this.id, tap, buffer: ring.buffer, rate })
    return {
      rate,
      buffer: ring.buffer,
      get available() {
        return ring.available
      },
      read: (into) => ring.read(into),
      has: (samples) => ring.hasSamples(samples),
      close: this.#untap(tap, ring),
    }
  }

  listen(): DuplexSound {
    const ring = this.#openRing(duplexRingSamples)
    const tap = this.#nextId()
    if (this.#open) this.thread.notify({ do: 'listen', stream: this.id, tap, buffer: ring.buffer })
    return { buffer: ring.buffer, close: this.#untap(tap, ring) }
  }

  async sendDtmf(digits: string): Promise<void> {
    if (!isDtmf(digits)) throw new TypeError('digits must be 0-9, *, # or A-D')
    if (this.#open) await this.thread.ask({ do: 'send-dtmf', stream: this.id, digits }).catch(() => {})
  }

  record(file: string, channels: 1 | 2 = 1): Recording {
    return this.#open ? this.runs.record(file, channels) : nothingRecorded
  }

  async figures(): Promise<StreamFigures> {
    if (!this.#open) return noFigures
    return this.thread.ask({ do: 'figures', stream: this.id }).catch(() => noFigures)
  }

  close({ silently = false }: { silently?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#close(silently)
    return this.#closing
  }

  async #close(silently: boolean): Promise<void> {
    if (!this.#open) return
    this.#open = false
    const quality = await this.thread.ask({ do: 'close', party: this.id, silently }).catch(() => undefined)
    if (quality) {
      this.#ended(quality)
      this.#observer.ended?.(quality)
    }
    this.thread.closeSockets(this.#descriptors)
    this.#end()
  }

  onEvent(event: Extract<MediaEvent, { stream: number }>): void {
    if (!this.#open) return
    if (event.tell === 'dtmf') this.#observer.dtmf(event.digit, event.source)
    else if (event.tell === 'heard') this.#observer.heard?.()
    else if (event.tell === 'sound') this.#observer.sound?.(event.state)
    else if (event.tell === 'silent') this.#observer.silent()
    else this.lost()
  }

  /** The thread that carried it has ended. */
  lost(): void {
    const wasOpen = this.#open
    this.#open = false
    this.thread.closeSockets(this.#descriptors)
    this.#end()
    if (wasOpen) this.#observer.lost()
  }

  #end(): void {
    for (const ring of this.#rings) ring.end()
    for (const ring of this.#pcmRings.splice(0)) this.#release(ring)
    this.runs.abandon()
    this.#leave()
  }

  #openRing(samples: number): SampleRing {
    const ring = SampleRing.of(samples, (bytes) => this.#memory.take(bytes))
    if (this.#open) this.#rings.add(ring)
    else ring.end()
    return ring
  }

  /** Returns a function that ends a tap once; more calls are ignored. */
  #untap(tap: number, ring: SampleRing): () => void {
    let closed = false
    return () => {
      if (closed) return
      closed = true
      ring.end()
      const untapped = this.thread.ask({ do: 'untap', stream: this.id, tap }).catch(() => {})
      void untapped.then(() => this.#release(ring))
    }
  }

  /** Called only when the media thread no longer uses it. */
  #release(ring: SampleRing): void {
    this.#rings.delete(ring)
    ring.leave()
    this.#memory.give(ring.buffer)
  }
}
