import { framesPerSecond } from '../codec/codec.ts'
import { dtmfSound } from '../dtmf/dtmf-tones.ts'
import type { Layer, PcmRate } from '../engine.ts'
import { Background } from '../sound/background.ts'
import { Ducking } from '../sound/ducking.ts'
import { isAnnounced, Layers } from '../sound/layers.ts'
import { Playout } from '../sound/playout.ts'
import { MemorySource, RingSource } from '../sound/sound-source.ts'
import { SampleRing } from '../thread/sample-ring.ts'
import type { Forwarder } from '../rtp/hand-on.ts'
import type { Outlet } from './pcm-link.ts'

export interface OwnSoundDeps {
  /** Number of the present 20 ms. */
  frame: () => number
  handOn: Pick<Forwarder, 'changed'>
  observer: {
    began(playback: number): void
    played(playback: number, completed: boolean, playedMs: number): void
  }
}

export interface PlayedSound {
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

/** How long our own keys may come back as an echo. */
const keyEchoFrames = 15

interface Frames {
  silence: Int16Array
  scratch: Int16Array
}

const frames = new Map<number, Frames>()

/** What all streams of one rate share: a frame of silence, and one to write to and hand over at once. */
export const framesOf = (rate: number): Frames => {
  const known = frames.get(rate)
  if (known) return known
  const made = { silence: new Int16Array(rate / framesPerSecond), scratch: new Int16Array(rate / framesPerSecond) }
  frames.set(rate, made)
  return made
}

/**
 * What one leg hears that nobody says: the first that has something of keys, notices, announcements, music and other sounds, and under what
 * is left the background.
 */
export class OwnSound {
  readonly #deps: OwnSoundDeps
  readonly #layers: Layers
  readonly #tones: Playout
  #pending = false
  #rate = 8000
  #frames = framesOf(8000)
  /** What was sent last; the frame itself is `scratch`, until another stream has its turn. */
  #layer: Layer | undefined
  #inputMuted = false
  /** While it makes a difference. */
  #ducking: Ducking | undefined
  #background: Background | undefined
  /** Until this one, a key that is heard may be one of ours. */
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

  /** There may be something to send that goes before what others say. */
  get pending(): boolean {
    return this.#pending
  }

  get hasBackground(): boolean {
    return this.#background !== undefined
  }

  /** A key that is heard now may be the echo of one of ours. */
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

  /** As events of `sender` if they were agreed, otherwise as sound. Resolves when the last one is out. */
  sendDtmf(digits: string, sender: Outlet | undefined): Promise<void> {
    if (sender) sender.dtmf(digits)
    else this.#tones.add(0, dtmfSound(digits, this.#rate))
    this.#pends(true)
    return new Promise((resolve) => this.#keysSent.push(resolve))
  }

  /** Of the next 20 ms. */
  begin(): void {
    this.#layer = undefined
  }

  /** The next 20 ms: our own, or else what others say. Goes on while nothing may be sent: a far end that holds us misses what is played. */
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

  /** What of our own it was sent just now, for a recording. Only lent, until another stream has its turn. */
  get announced(): Int16Array | undefined {
    return isAnnounced(this.#layer) ? this.#frames.scratch : undefined
  }

  /** The same, but neither announcements nor music. */
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

  /** What is played in the usual way; where nothing is, the level changes at once. */
  #makeSofter(ducking: Ducking, played: Int16Array): void {
    if (this.#layer === 'usual') ducking.process(played, this.#rate)
    else ducking.settle()
    if (ducking.idle) this.#ducking = undefined
  }

  #pends(value: boolean): void {
    if (value !== this.#pending) this.#deps.handOn.changed()
    this.#pending = value
  }

  #finishKeys(): void {
    for (const resolve of this.#keysSent.splice(0)) resolve()
  }
}
