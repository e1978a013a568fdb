import { sampleRate } from '../recording.ts'

/** Cut-off frequencies of a telephone line in Hz. */
const band = { from: 300, to: 3_400 }

/** Second-order Butterworth filter. */
const filtered = (sound: Float64Array, hz: number, kind: 'high' | 'low'): Float64Array => {
  const k = Math.tan((Math.PI * hz) / sampleRate)
  const norm = 1 / (1 + Math.SQRT2 * k + k * k)
  const gain = kind === 'low' ? k * k * norm : norm
  const middle = kind === 'low' ? 2 * gain : -2 * gain
  const [back1, back2] = [2 * (k * k - 1) * norm, (1 - Math.SQRT2 * k + k * k) * norm]
  let [x1, x2, y1, y2] = [0, 0, 0, 0]
  return sound.map((x) => {
    const y = gain * x + middle * x1 + gain * x2 - back1 * y1 - back2 * y2
    ;[x2, x1, y2, y1] = [x1, x, y1, y]
    return y
  })
}

/** Sound as a telephone passes it on. */
export const telephoneBand = (sound: Int16Array): Int16Array<ArrayBuffer> => {
  const passed = filtered(filtered(Float64Array.from(sound), band.from, 'high'), band.to, 'low')
  return Int16Array.from(passed, (value) => Math.max(-32_768, Math.min(32_767, Math.round(value))))
}
