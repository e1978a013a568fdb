import type { Signal } from '#api/phone/calls.ts'
import { kept } from '#api/kept.ts'

interface Pattern {
  /** Hertz, played together. */
  tones: readonly number[]
  /** Seconds of sound in each round. */
  bursts: readonly (readonly [from: number, to: number])[]
  roundMs: number
  loudness: number
}

/** European patterns: a second of tone, four of silence; knocking is short and quiet. */
const patterns: Readonly<Record<Signal, Pattern>> = {
  ringtone: {
    tones: [659, 784],
    bursts: [
      [0, 0.4],
      [0.55, 0.95],
    ],
    roundMs: 3_000,
    loudness: 0.25,
  },
  knocking: { tones: [425], bursts: [[0, 0.2]], roundMs: 5_000, loudness: 0.06 },
  ringback: { tones: [425], bursts: [[0, 1]], roundMs: 5_000, loudness: 0.08 },
}

/** Signals played by this page: ringing, knocking, ringback. One at a time. */
export class Signals {
  #playing: { signal: Signal; stop: () => void } | undefined

  play(signal: Signal | undefined): void {
    if (this.#playing?.signal === signal) return
    this.#playing?.stop()
    this.#playing = signal === undefined ? undefined : { signal, stop: begin(signal) }
  }
}

const begin = (signal: Signal): (() => void) => {
  const pattern = patterns[signal]
  const context = new AudioContext()
  const round = (): void => {
    // Browsers block audio before the first click; missed signals must not play later in a burst.
    if (context.state === 'running') sound(context, pattern)
  }
  void leadTo(signal === 'ringback' ? 'speaker' : 'ringer', context).then(round)
  const timer = setInterval(round, pattern.roundMs)
  return () => {
    clearInterval(timer)
    void context.close()
  }
}

/** Once, to identify the loudspeaker. */
export const playSample = async (output: Output): Promise<void> => {
  const context = new AudioContext()
  await leadTo(output, context)
  sound(context, patterns.ringtone)
  setTimeout(() => void context.close(), patterns.ringtone.roundMs)
}

/** Seconds of fade, to avoid clicks. */
const edgeS = 0.02

const sound = (context: AudioContext, { tones, bursts, loudness }: Pattern): void => {
  for (const [from, to] of bursts) {
    const volume = context.createGain()
    const [begins, ends] = [context.currentTime + from, context.currentTime + to]
    volume.gain.setValueAtTime(0, begins)
    volume.gain.linearRampToValueAtTime(loudness / tones.length, begins + edgeS)
    volume.gain.setValueAtTime(loudness / tones.length, ends - edgeS)
    volume.gain.linearRampToValueAtTime(0, ends)
    volume.connect(context.destination)
    for (const frequency of tones) {
      const tone = new OscillatorNode(context, { frequency })
      tone.connect(volume)
      tone.start(begins)
      tone.stop(ends)
    }
  }
}

/** Audio output: at the ear, or in the room. */
type Output = 'speaker' | 'ringer'

/** Not every browser supports it. */
export const canChooseOutput = (): boolean => 'setSinkId' in HTMLMediaElement.prototype

/** Routes audio to the chosen loudspeaker; falls back to the default if it is gone or not selectable. */
export const leadTo = async (output: Output, sink: HTMLMediaElement | AudioContext): Promise<void> => {
  const chosen = kept(`phone.${output}`) ?? ''
  const { setSinkId } = sink as { setSinkId?: (id: string) => Promise<void> }
  await setSinkId?.call(sink, chosen).catch(() => undefined)
}
