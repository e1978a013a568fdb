import { repairFile } from './disk-file.ts'
import type { Pcm, PcmRate, Playback, Recording } from './engine.ts'
import type { Command, Notice, PartyId, Question } from './protocol.ts'

type Played = Awaited<Playback['done']>
type Recorded = Awaited<ReturnType<Recording['stop']>>

/** What needs no answer. */
export type Order = Exclude<Command, Question>

/** What runs on a stream or a room until it ends: sounds and recordings. */
export class Runs {
  readonly #party: PartyId
  readonly #nextId: () => number
  readonly #tell: (order: Order) => void
  readonly #playbacks = new Map<number, (result: Played) => void>()
  readonly #recordings = new Map<number, { file: string; resolve: (result: Recorded) => void }>()

  constructor(party: PartyId, nextId: () => number, tell: (order: Order) => void) {
    this.#party = party
    this.#nextId = nextId
    this.#tell = tell
  }

  play(sound: Pcm, loop: boolean): Playback {
    const samples = inSharedMemory(sound.samples)
    return this.start((playback) => ({ do: 'play', party: this.#party, playback, samples, rate: sound.rate ?? 8000, loop }))
  }

  start(order: (playback: number) => Order): Playback {
    const playback = this.#nextId()
    const done = new Promise<Played>((resolve) => this.#playbacks.set(playback, resolve))
    this.#tell(order(playback))
    return { done, stop: () => this.#tell({ do: 'stop-playback', party: this.#party, playback }) }
  }

  record(file: string, channels: 1 | 2): Recording {
    const recording = this.#nextId()
    const recorded = new Promise<Recorded>((resolve) => this.#recordings.set(recording, { file, resolve }))
    this.#tell({ do: 'record', party: this.#party, recording, file, channels })
    return {
      stop: () => {
        this.#tell({ do: 'stop-recording', party: this.#party, recording })
        return recorded
      },
    }
  }

  ended(notice: Extract<Notice, { tell: 'played' | 'recorded' }>): void {
    if (notice.tell === 'played') {
      this.#playbacks.get(notice.playback)?.({ completed: notice.completed, playedMs: notice.playedMs })
      this.#playbacks.delete(notice.playback)
    } else {
      this.#recordings.get(notice.recording)?.resolve({ durationMs: notice.durationMs, truncated: notice.truncated })
      this.#recordings.delete(notice.recording)
    }
  }

  /** Nobody will tell how they ended. A recording is made playable as far as it is on the disk. */
  abandon(): void {
    for (const resolve of this.#playbacks.values()) resolve({ completed: false, playedMs: 0 })
    for (const { file, resolve } of this.#recordings.values()) resolve({ durationMs: repairFile(file), truncated: true })
    this.#playbacks.clear()
    this.#recordings.clear()
  }
}

export const nothingPlayed: Playback = { done: Promise.resolve({ completed: false, playedMs: 0 }), stop: () => {} }
export const nothingRecorded: Recording = { stop: async () => ({ durationMs: 0, truncated: true }) }

const shared = new WeakMap<Int16Array, Int16Array>()

/** Every thread plays the same memory: a prompt that hundreds hear is there once. */
export const inSharedMemory = (samples: Int16Array): Int16Array => {
  if (samples.buffer instanceof SharedArrayBuffer) return samples
  const known = shared.get(samples)
  if (known) return known
  const copy = new Int16Array(new SharedArrayBuffer(samples.byteLength))
  copy.set(samples)
  shared.set(samples, copy)
  return copy
}

/** Seconds of sound that may wait between two threads. */
const ringSeconds = 10

export const ringSamples = (rate: PcmRate): number => ringSeconds * rate
