import type { Tensor } from 'onnxruntime-node'
import { floats } from '../onnx.ts'

/** What Moonshine's second convolution takes. It is a third of the encoder's work, and each place that it gives depends on a few that it takes. */
export const convolved = '/groupnorm/Add_output_0'
const [kernel, stride] = [7, 3]
/** Of five seconds there are 415. */
const placesPerBatch = 100

/** What it takes, in parts that can be done one after the other. */
export const slicesOf = (whole: Tensor): Tensor[] => {
  const [, channels = 0, length = 0] = whole.dims
  const places = Math.floor((length - kernel) / stride) + 1
  const slices: Tensor[] = []
  for (let from = 0; from + placesPerBatch < places; from += placesPerBatch)
    slices.push(columns(whole.data as Float32Array, channels, from * stride, (placesPerBatch - 1) * stride + kernel))
  const rest = slices.length * placesPerBatch * stride
  return rest === 0 ? [whole] : [...slices, columns(whole.data as Float32Array, channels, rest, length - rest)]
}

const columns = (data: Float32Array, channels: number, from: number, width: number): Tensor => {
  const length = data.length / channels
  const part = new Float32Array(channels * width)
  for (let row = 0; row < channels; row++) part.set(data.subarray(row * length + from, row * length + from + width), row * width)
  return floats(part, 1, channels, width)
}

/** What it gave for each part, one after the other. */
export const joined = (parts: readonly Tensor[]): Tensor => {
  const channels = parts[0]?.dims[1] ?? 0
  const length = parts.reduce((sum, { dims }) => sum + (dims[2] ?? 0), 0)
  const whole = new Float32Array(channels * length)
  let at = 0
  for (const { data, dims } of parts) {
    const width = dims[2] ?? 0
    for (let row = 0; row < channels; row++) whole.set((data as Float32Array).subarray(row * width, (row + 1) * width), row * length + at)
    at += width
  }
  return floats(whole, 1, channels, length)
}
