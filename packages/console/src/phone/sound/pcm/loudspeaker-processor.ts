import { Resampler } from './resampler.ts'
import { pcmRate, toFloats } from './pcm.ts'
import { JitterBuffer } from './jitter-buffer.ts'

/** In the audio thread: plays the received frames. */
class LoudspeakerProcessor extends AudioWorkletProcessor {
  readonly #resampler = new Resampler(pcmRate, sampleRate)
  readonly #buffer = new JitterBuffer(sampleRate)

  constructor() {
    super()
    this.port.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => this.#buffer.push(this.#resampler.push(toFloats(data))))
    this.port.start()
  }

  process(_inputs: Float32Array[][], [output]: Float32Array[][]): boolean {
    const [first, ...others] = output ?? []
    if (first) this.#buffer.pull(first)
    for (const channel of others) if (first) channel.set(first)
    return true
  }
}

registerProcessor('loudspeaker', LoudspeakerProcessor)
