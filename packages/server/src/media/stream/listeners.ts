import { Converter } from '../codec/codec.ts'
import { DtmfDetector } from '../dtmf/dtmf-tones.ts'
import { DuplexTap } from './duplex-tap.ts'
import type { PcmRate } from '../engine.ts'
import { RecordingRun, type RecordingResult } from '../recording/disk-file.ts'
import { SampleRing } from '../thread/sample-ring.ts'

type Listener = (pcm: Int16Array) => void

/** Local listeners of a stream besides the far end and the room: recordings, taps, and the in-band DTMF detector. */
export class Listeners {
  /** At least one listener exists. */
  any = false
  /** At least one needs sent sound, too. */
  needSent = false
  readonly #frame: () => number
  readonly #pressed: (digit: string) => void
  readonly #taps = new Map<number, Listener>()
  readonly #duplexTaps = new Map<number, DuplexTap>()
  readonly #recordings = new Map<number, RecordingRun>()
  #detector: Listener | undefined

  /** `frame`: number of the current 20 ms. `pressed`: a key was detected. */
  constructor(frame: () => number, pressed: (digit: string) => void) {
    this.#frame = frame
    this.#pressed = pressed
  }

  /** False when the file cannot be created. */
  record(id: number, file: string, channels: 1 | 2, rate: number, done: (result: RecordingResult) => void): boolean {
    const run = new RecordingRun(file, channels, rate, this.#frame(), done)
    this.#recordings.set(id, run)
    this.#changed()
    return run.open
  }

  stopRecording(id: number): void {
    this.#recordings.get(id)?.stop(this.#frame())
    this.#recordings.delete(id)
    this.#changed()
  }

  tap(id: number, buffer: SharedArrayBuffer, rate: PcmRate): void {
    const ring = new SampleRing(buffer)
    const converter = new Converter(rate)
    this.#taps.set(id, (pcm) => ring.write(converter.convert(pcm)))
    this.#changed()
  }

  listen(id: number, buffer: SharedArrayBuffer): void {
    this.#duplexTaps.set(id, new DuplexTap(buffer))
    this.#changed()
  }

  untap(id: number): void {
    this.#taps.delete(id)
    this.#duplexTaps.delete(id)
    this.#changed()
  }

  /** For lines with in-band DTMF. */
  detectKeys(wanted: boolean): void {
    if (!wanted) this.#detector = undefined
    else this.#detector ??= this.#newDetector()
    this.#changed()
  }

  close(): void {
    for (const id of this.#recordings.keys()) this.stopRecording(id)
  }

  heard(pcm: Int16Array): void {
    for (const run of this.#recordings.values()) run.write(0, this.#frame(), pcm)
    for (const tap of this.#taps.values()) tap(pcm)
    for (const tap of this.#duplexTaps.values()) tap.heard(pcm)
    this.#detector?.(pcm)
  }

  sent(pcm: Int16Array): void {
    for (const run of this.#recordings.values()) if (run.channels === 2) run.write(1, this.#frame(), pcm)
    for (const tap of this.#duplexTaps.values()) tap.sent(pcm)
  }

  #changed(): void {
    const runs = [...this.#recordings.values()]
    this.any = runs.length > 0 || this.#taps.size > 0 || this.#duplexTaps.size > 0 || this.#detector !== undefined
    this.needSent = this.#duplexTaps.size > 0 || runs.some(({ channels }) => channels === 2)
  }

  #newDetector(): Listener {
    const detector = new DtmfDetector()
    const converter = new Converter(8000)
    return (pcm) => {
      for (const digit of detector.write(converter.convert(pcm))) this.#pressed(digit)
    }
  }
}
