import { RealFft } from '../real-fft.ts'

export const melBands = 80
/** Samples between two frames: 10 ms at 16 kHz. */
const melHop = 160
const rate = 16_000
/** Samples of an analysis window: 25 ms. */
const windowSize = 400
const fft = new RealFft(windowSize)
const silence = -10

interface Band {
  first: number
  weights: Float64Array
}

/** Slaney scale: linear up to 1000 Hz, logarithmic above. */
const logStep = Math.log(6.4) / 27
const toMel = (hz: number): number => (hz < 1000 ? (hz * 3) / 200 : 15 + Math.log(hz / 1000) / logStep)
const toHz = (mel: number): number => (mel < 15 ? (mel * 200) / 3 : 1000 * Math.exp(logStep * (mel - 15)))

/** Triangles of equal area, each from the peak of the previous to the peak of the next. */
const designBands = (): Band[] => {
  const top = toMel(rate / 2)
  const corners = Array.from({ length: melBands + 2 }, (_, i) => toHz((top * i) / (melBands + 1)))
  return Array.from({ length: melBands }, (_, band) => {
    const [low = 0, middle = 0, high = 0] = corners.slice(band, band + 3)
    const weights = Float64Array.from({ length: fft.bins }, (_, bin) => {
      const hz = (bin * rate) / windowSize
      return (Math.max(0, Math.min((hz - low) / (middle - low), (high - hz) / (high - middle))) * 2) / (high - low)
    })
    const first = Math.max(
      0,
      weights.findIndex((weight) => weight > 0),
    )
    return { first, weights: weights.slice(first, weights.findLastIndex((weight) => weight > 0) + 1) }
  })
}

const bands = designBands()
const hann = Float64Array.from({ length: windowSize }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / windowSize))

/** Whisper's input: log power in 80 bands, band by band, for this many frames; padded with silence. */
export const logMel = (sound: Float32Array, frames: number): Float32Array => {
  const mel = new Float32Array(melBands * frames).fill(silence)
  const sounding = Math.min(frames, Math.ceil(sound.length / melHop) + 3)
  const window = new Float64Array(windowSize)
  const [real, imaginary] = [new Float64Array(fft.bins), new Float64Array(fft.bins)]
  for (let frame = 0; frame < sounding; frame++) {
    cut(sound, frame, window)
    fft.forward(window, real, imaginary)
    for (let k = 0; k < fft.bins; k++) real[k] = real[k]! * real[k]! + imaginary[k]! * imaginary[k]!
    weigh(real, mel, frame, frames)
  }
  return level(mel)
}

/** Frames are centred; the sound is mirrored before its beginning. */
const cut = (sound: Float32Array, frame: number, into: Float64Array): void => {
  const start = frame * melHop - windowSize / 2
  for (let i = 0; i < windowSize; i++) into[i] = (sound[Math.abs(start + i)] ?? 0) * hann[i]!
}

const weigh = (power: Float64Array, mel: Float32Array, frame: number, frames: number): void => {
  for (let band = 0; band < melBands; band++) {
    const { first, weights } = bands[band]!
    let sum = 0
    for (let i = 0; i < weights.length; i++) sum += weights[i]! * power[first + i]!
    mel[band * frames + frame] = Math.log10(Math.max(sum, 1e-10))
  }
}

/** Limits the range to 80 dB below the loudest. */
const level = (mel: Float32Array): Float32Array => {
  let loudest = silence
  for (const value of mel) if (value > loudest) loudest = value
  const floor = loudest - 8
  return mel.map((value) => (Math.max(value, floor) + 4) / 4)
}
