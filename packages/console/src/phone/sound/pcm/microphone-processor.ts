import { Resampler } from './resampler.ts'
import { frameSamples, pcmRate } from './pcm.ts'

/** In the audio thread: turns microphone input into frames. Silent without a microphone. */
class MicrophoneProcessor extends AudioWorkletProcessor {
  readonly #resampler = new Resampler(sampleRate, pcmRate)
  readonly #silence = new Float32Array(128)
  #frame = new Int16Array(frameSamples)
  #filled = 0

  process([input]: Float32Array[][]): boolean {
    for (const sample of this.#resampler.push(input?.[0] ?? this.#silence)) this.#add(sample)
    return true
  }

  #add(sample: number): void {
    this.#frame[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 0x7f_ff
    if (this.#filled < frameSamples) return
    this.port.postMessage(this.#frame.buffer, [this.#frame.buffer])
    this.#frame = new Int16Array(frameSamples)
    this.#filled = 0
  }
}

registerProcessor('microphone', MicrophoneProcessor)
