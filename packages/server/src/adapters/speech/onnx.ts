import type * as runtime from 'onnxruntime-node'
import { createRequire } from 'node:module'
import { runtimePackage } from './speech-runtime.ts'

/**
 * `disable_quant_qdq`: without it the vocabulary's weights are converted back into floats for every token, which takes most of the time.
 * Idle threads sleep: spinning would take the processor from the media threads.
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

/** Throws with the name of the missing package. */
export const loadRuntime = (name = runtimePackage): typeof runtime => {
  try {
    return createRequire(import.meta.url)(name) as typeof runtime
  } catch (error) {
    const why = (error as Error).message.split('\n')[0]
    throw new Error(
      `embedded speech needs the package ${name}, which does not load here (${why}). Install with optional dependencies, or use a provider: OFFHOOK_SPEECH=off`,
      { cause: error },
    )
  }
}

export const { InferenceSession, Tensor } = loadRuntime()
