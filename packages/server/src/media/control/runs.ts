import { repairFile } from '../recording/disk-file.ts'
import { inSharedMemory } from '../thread/shared-memory.ts'
import type { Announcement, Layer, Pcm, PcmRate, Playback, Recording, Feed } from '../engine.ts'
import type { Command, MediaEvent, PartyId, Question } from './media-protocol.ts'
import type { SampleRing } from '../thread/sample-ring.ts'

type Played = Awaited<Playback['done']>
type Recorded = Awaited<ReturnType<Recording['stop']>>

/** Commands without an answer. */
export type Order = Exclude<Command, Question>

/** Playbacks and recordings of a stream or a room, until they end. */
export class Runs {
  readonly #party: PartyId
  readonly #nextId: () => number
  readonly #notify: (order: Order) => void
  readonly #playbacks = new Map<number, { began: () => void; ended: (result: Played) => void }>()
  readonly #recordings = new Map<number, { file: string; opened: (open: boolean) => void; ended: (result: Recorded) => void }>()

  constructor(party: PartyId, nextId: () => number, notify: (order: Order) => void) {
    this.#party = party
    this.#nextId = nextId
    this.#notify = notify
  }

  play(sound: Pcm, layer: Layer, loop = false): Announcement {
    const samples = inSharedMemory(sound.samples)
    return this.start((playback) => ({ do: 'play', stream: this.#party, playback, samples, rate: sound.rate ?? 8000, loop, layer }))
  }

  start(order: (playback: number) => Order): Announcement {
    const playback = this.#nextId()
    const { promise: begun, resolve: began } = Promise.withResolvers<void>()
    const done = new Promise<Played>((resolve) => this.#playbacks.set(playback, { began, ended: resolve }))
    this.#notify(order(playback))
    return { begun, done, stop: () => this.#notify({ do: 'stop-playback', stream: this.#party, playback }) }
  }

  record(file: string, channels: 1 | 2): Recording & { id: number } {
    const recording = this.#nextId()
    const { promise: opened, resolve: open } = Promise.withResolvers<boolean>()
    const recorded = new Promise<Recorded>((resolve) => this.#recordings.set(recording, { file, opened: open, ended: resolve }))
    this.#notify({ do: 'record', party: this.#party, recording, file, channels })
    return {
      id: recording,
      opened,
      stop: () => {
        this.#notify({ do: 'stop-recording', party: this.#party, recording })
        return recorded
      },
    }
  }

  onEvent(event: Extract<MediaEvent, { party: PartyId }>): void {
    switch (event.tell) {
      case 'began':
        return this.#playbacks.get(event.playback)?.began()
      case 'played':
        this.#playbacks.get(event.playback)?.ended({ completed: event.completed, playedMs: event.playedMs })
        return void this.#playbacks.delete(event.playback)
      case 'opened':
        return this.#recordings.get(event.recording)?.opened(event.open)
      case 'recorded':
        this.#recordings.get(event.recording)?.ended({ durationMs: event.durationMs, truncated: event.truncated })
        return void this.#recordings.delete(event.recording)
    }
  }

  /** The thread that knows their results has ended. Makes each recording playable as far as it is on disk. */
  abandon(): void {
    for (const { ended } of this.#playbacks.values()) ended({ completed: false, playedMs: 0 })
    for (const { file, opened, ended } of this.#recordings.values()) {
      opened(false)
      ended({ durationMs: repairFile(file), truncated: true })
    }
    this.#playbacks.clear()
    this.#recordings.clear()
  }
}

export const nothingPlayed: Announcement = {
  /** A new one each time: a shared promise would retain all of its waiters. */
  get begun() {
    return new Promise<void>(() => {})
  },
  done: Promise.resolve({ completed: false, playedMs: 0 }),
  stop: () => {},
}
export const nothingRecorded: Recording = { opened: Promise.resolve(false), stop: async () => ({ durationMs: 0, truncated: true }) }

/** Seconds of sound buffered between two threads. */
const ringSeconds = 10

export const ringSamples = (rate: PcmRate): number => ringSeconds * rate

/** Main-thread side of a feed: samples go through the ring, and its read position tells how much was played. */
export class FeedHandle implements Feed {
  readonly done: Feed['done']
  readonly begun: Promise<void>
  readonly #ring: SampleRing
  readonly #rate: PcmRate
  readonly #playback: Playback
  #ended = false
  /** Stopped before its end: it is incomplete, even if everything written was played. */
  #cut = false

  constructor(ring: SampleRing, rate: PcmRate, playback: Playback) {
    this.#ring = ring
    this.#rate = rate
    this.#playback = playback
    const { promise, resolve } = Promise.withResolvers<void>()
    const notifyBegun = (): void => {
      if (ring.readUntilNow > 0) resolve()
    }
    this.begun = promise
    void ring.isRead(() => this.#ended).then(notifyBegun)
    this.done = playback.done.then(({ completed }) => {
      this.#ended = true
      ring.end()
      notifyBegun()
      return { completed: completed && !this.#cut, playedMs: this.playedMs() }
    })
  }

  get room(): number {
    return this.#ring.room
  }

  write(samples: Int16Array): number {
    return this.#ring.write(samples)
  }

  hasCapacity(samples: number): Promise<void> {
    return this.#ring.hasCapacity(samples)
  }

  end(): void {
    this.#ring.end()
  }

  stop(): void {
    if (!this.#ring.ended) this.#cut = true
    this.#ring.end()
    this.#playback.stop()
  }

  playedMs(): number {
    return (this.#ring.readUntilNow * 1000) / this.#rate
  }
}
