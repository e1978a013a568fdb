import type * as runtime from 'onnxruntime-node'
import { InferenceSession, Tensor } from './onnx-runtime.ts'

/**
 * `disable_quant_qdq`: otherwise the vocabulary's weights are turned back into floats for every word, which takes most of the time.
 * Waiting threads sleep: turning in circles they would take the processor from the threads that carry audio.
 */
export const openSession = (model: string | Uint8Array, threads: number): Promise<runtime.InferenceSession> => {
  const options: runtime.InferenceSession.SessionOptions = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
    extra: { session: { disable_quant_qdq: '1', intra_op: { allow_spinning: '0' } } },
  }
  return typeof model === 'string' ? InferenceSession.create(model, options) : InferenceSession.create(model, options)
}

export const floats = (values: Float32Array, ...dimensions: number[]): runtime.Tensor => new Tensor('float32', values, dimensions)
export const integers = (values: readonly number[]): runtime.Tensor =>
  new Tensor(
    'int64',
    BigInt64Array.from(values, (value) => BigInt(value)),
    [1, values.length],
  )
export const truth = (value: boolean): runtime.Tensor => new Tensor('bool', Uint8Array.of(value ? 1 : 0), [1])
