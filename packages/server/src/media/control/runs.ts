import { repairFile } from '../recording/disk-file.ts'
import { inSharedMemory } from '../thread/shared-samples.ts'
import type { Announcement, Layer, Pcm, PcmRate, Playback, Recording } from '../engine.ts'
import type { Command, MediaEvent, PartyId, Question } from './media-protocol.ts'

type Played = Awaited<Playback['done']>
type Recorded = Awaited<ReturnType<Recording['stop']>>

/** What needs no answer. */
export type Order = Exclude<Command, Question>

/** What runs on a stream or a room until it ends: sounds and recordings. */
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

  /** The thread that knows how they ended is gone. A recording is made playable as far as it is on the disk. */
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
  /** A new one each time: a promise that all share would hold on to everything that waits for it. */
  get begun() {
    return new Promise<void>(() => {})
  },
  done: Promise.resolve({ completed: false, playedMs: 0 }),
  stop: () => {},
}
export const nothingRecorded: Recording = { opened: Promise.resolve(false), stop: async () => ({ durationMs: 0, truncated: true }) }

/** Seconds of sound that may wait between two threads. */
const ringSeconds = 10

export const ringSamples = (rate: PcmRate): number => ringSeconds * rate
