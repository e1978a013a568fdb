import { PackedSpectrum, spectrumBins, spectrumSize } from './packed-spectrum.ts'

export const melBands = 80
/** Between two frames: 10 ms at 16 kHz. */
export const melHop = 160
const rate = 16_000
const silence = -10

interface Band {
  first: number
  weights: Float64Array
}

/** Slaney's scale: linear up to 1000 Hz, logarithmic above. */
const logStep = Math.log(6.4) / 27
const toMel = (hz: number): number => (hz < 1000 ? (hz * 3) / 200 : 15 + Math.log(hz / 1000) / logStep)
const toHz = (mel: number): number => (mel < 15 ? (mel * 200) / 3 : 1000 * Math.exp(logStep * (mel - 15)))

/** Triangles of equal area, each from the top of the one before to the top of the next. */
const designBands = (): Band[] => {
  const top = toMel(rate / 2)
  const corners = Array.from({ length: melBands + 2 }, (_, i) => toHz((top * i) / (melBands + 1)))
  return Array.from({ length: melBands }, (_, band) => {
    const [low = 0, middle = 0, high = 0] = corners.slice(band, band + 3)
    const weights = Float64Array.from({ length: spectrumBins }, (_, bin) => {
      const hz = (bin * rate) / spectrumSize
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
const hann = Float64Array.from({ length: spectrumSize }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / spectrumSize))

/** What Whisper looks at: the logarithm of the power in 80 bands, band by band, for so many frames; after the sound there is silence. */
export const logMel = (sound: Float32Array, frames: number): Float32Array => {
  const mel = new Float32Array(melBands * frames).fill(silence)
  const sounding = Math.min(frames, Math.ceil(sound.length / melHop) + 3)
  const spectrum = new PackedSpectrum()
  const power = new Float64Array(spectrumBins)
  for (let frame = 0; frame < sounding; frame += 2) {
    cut(sound, frame, spectrum.first)
    cut(sound, frame + 1, spectrum.second)
    spectrum.transform()
    spectrum.power('first', power)
    weigh(power, mel, frame, frames)
    if (frame + 1 === sounding) continue
    spectrum.power('second', power)
    weigh(power, mel, frame + 1, frames)
  }
  return level(mel)
}

/** Frames are centred; before the beginning the sound is mirrored. */
const cut = (sound: Float32Array, frame: number, into: Float64Array): void => {
  const start = frame * melHop - spectrumSize / 2
  for (let i = 0; i < spectrumSize; i++) into[i] = (sound[Math.abs(start + i)] ?? 0) * hann[i]!
}

const weigh = (power: Float64Array, mel: Float32Array, frame: number, frames: number): void => {
  for (let band = 0; band < melBands; band++) {
    const { first, weights } = bands[band]!
    let sum = 0
    for (let i = 0; i < weights.length; i++) sum += weights[i]! * power[first + i]!
    mel[band * frames + frame] = Math.log10(Math.max(sum, 1e-10))
  }
}

/** Nothing is more than 80 dB below the loudest. */
const level = (mel: Float32Array): Float32Array => {
  let loudest = silence
  for (const value of mel) if (value > loudest) loudest = value
  const floor = loudest - 8
  return mel.map((value) => (Math.max(value, floor) + 4) / 4)
}
