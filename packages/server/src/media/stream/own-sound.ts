import { framesPerSecond } from '../codec/codec.ts'
import { dtmfSound } from '../dtmf/dtmf-tones.ts'
import type { Layer, PcmRate } from '../engine.ts'
import { Background, Ducking, isAnnounced, Layers } from '../sound/layers.ts'
import { Playout } from '../sound/playout.ts'
import { MemorySource, RingSource } from '../sound/sound-source.ts'
import { SampleRing } from '../thread/sample-ring.ts'
import type { Forwarder } from '../rtp/forwarder.ts'
import type { Outlet } from './pcm-link.ts'

interface OwnSoundDeps {
  /** Number of the current 20 ms. */
  frame: () => number
  forwarder: Pick<Forwarder, 'changed'>
  observer: {
    began(playback: number): void
    played(playback: number, completed: boolean, playedMs: number): void
  }
}

interface PlayedSound {
  samples: Int16Array
  rate: PcmRate
  loop: boolean
  layer: Layer
}

export interface LoopedSound {
  samples: Int16Array
  rate: PcmRate
  volume: number
}

/** Frames during which our own DTMF may come back as an echo. */
const keyEchoFrames = 15

interface Frames {
  silence: Int16Array
  scratch: Int16Array
}

const frames = new Map<number, Frames>()

/** Shared by all streams of one rate: a frame of silence, and a scratch frame for immediate use. */
export const framesOf = (rate: number): Frames => {
  const known = frames.get(rate)
  if (known) return known
  const made = { silence: new Int16Array(rate / framesPerSecond), scratch: new Int16Array(rate / framesPerSecond) }
  frames.set(rate, made)
  return made
}

/**
 * A leg's own sound: the first non-empty of DTMF, notices, announcements, music and other sounds; otherwise the background under the
 * others.
 */
export class OwnSound {
  readonly #deps: OwnSoundDeps
  readonly #layers: Layers
  readonly #tones: Playout
  #pending = false
  #rate = 8000
  #frames = framesOf(8000)
  /** The layer sent last; the frame itself is `scratch`, until another stream's turn. */
  #layer: Layer | undefined
  #inputMuted = false
  /** Set while it changes the sound. */
  #ducking: Ducking | undefined
  #background: Background | undefined
  /** Until this frame a detected key may be our own. */
  #echoedUntilFrame = 0
  readonly #keysSent: (() => void)[] = []

  constructor(deps: OwnSoundDeps) {
    this.#deps = deps
    this.#layers = new Layers(
      (id, completed, samples) => deps.observer.played(id, completed, (samples / this.#rate) * 1000),
      (id) => deps.observer.began(id),
    )
    this.#tones = new Playout(() => {})
  }

  set rate(rate: number) {
    this.#rate = rate
    this.#frames = framesOf(rate)
    this.#layers.rate = rate
    this.#tones.rate = rate
  }

  /** Own sound may be waiting that takes precedence over the others. */
  get pending(): boolean {
    return this.#pending
  }

  get hasBackground(): boolean {
    return this.#background !== undefined
  }

  /** A key detected now may be the echo of our own. */
  get mayEcho(): boolean {
    return this.#deps.frame() < this.#echoedUntilFrame
  }

  muteInput(value: boolean): void {
    this.#inputMuted = value
  }

  duck(value: boolean): void {
    if (value) this.#ducking ??= new Ducking()
    if (this.#ducking) this.#ducking.ducked = value
  }

  play(playback: number, { samples, rate, loop, layer }: PlayedSound): void {
    this.#layers.add(layer, playback, new MemorySource(samples, rate, loop))
    this.#pends(true)
  }

  feed(playback: number, buffer: SharedArrayBuffer, rate: PcmRate): void {
    this.#layers.add('usual', playback, new RingSource(new SampleRing(buffer), rate, () => this.#inputMuted))
    this.#pends(true)
  }

  background(sound: LoopedSound | undefined): void {
    this.#background = sound && new Background(sound.samples, sound.rate, sound.volume)
  }

  stop(playback: number): void {
    this.#layers.stop(playback)
  }

  stopAll(): void {
    this.#layers.stopAll()
    this.#finishKeys()
  }

  /** Sends events by `sender` if negotiated, otherwise sound. Resolves when the last one is sent. */
  sendDtmf(digits: string, sender: Outlet | undefined): Promise<void> {
    if (sender) sender.dtmf(digits)
    else this.#tones.add(0, dtmfSound(digits, this.#rate))
    this.#pends(true)
    return new Promise((resolve) => this.#keysSent.push(resolve))
  }

  /** Starts the next 20 ms. */
  begin(): void {
    this.#layer = undefined
  }

  /** The next 20 ms: own sound, otherwise the others. Continues while sending is off: a far end that holds us misses played sound. */
  over(others: Int16Array | undefined, sender: Outlet | undefined, agreed: boolean): Int16Array {
    const { scratch, silence } = this.#frames
    const plays = this.#pending && agreed && this.#play(scratch, sender)
    if (this.#ducking) this.#makeSofter(this.#ducking, scratch)
    const frame = plays ? scratch : (others ?? silence)
    if (!this.#background || this.#inputMuted || isAnnounced(this.#layer) || this.#layer === 'music') return frame
    this.#background.under(frame, scratch, this.#rate)
    this.#layer = 'usual'
    return scratch
  }

  /** The own sound just sent, for a recording. Valid until another stream's turn. */
  get announced(): Int16Array | undefined {
    return isAnnounced(this.#layer) ? this.#frames.scratch : undefined
  }

  /** The same, without announcements and music. */
  get played(): Int16Array | undefined {
    return this.#layer === 'usual' ? this.#frames.scratch : undefined
  }

  #play(into: Int16Array, sender: Outlet | undefined): boolean {
    const keys = this.#tones.read(into)
    if (keys) this.#echoedUntilFrame = this.#deps.frame() + keyEchoFrames
    this.#layer = keys ? undefined : this.#layers.read(into)
    const plays = keys || this.#layer !== undefined
    const sendsKeys = sender?.sendsDtmf === true
    if (this.#keysSent.length > 0 && !this.#tones.playing && !sendsKeys) this.#finishKeys()
    this.#pends(plays || sendsKeys)
    return plays
  }

  /** Ducks sound of the usual layer; without any, the level changes immediately. */
  #makeSofter(ducking: Ducking, played: Int16Array): void {
    if (this.#layer === 'usual') ducking.process(played, this.#rate)
    else ducking.settle()
    if (ducking.idle) this.#ducking = undefined
  }

  #pends(value: boolean): void {
    if (value !== this.#pending) this.#deps.forwarder.changed()
    this.#pending = value
  }

  #finishKeys(): void {
    for (const resolve of this.#keysSent.splice(0)) resolve()
  }
}
