import { createRequire } from 'node:module'
import type * as runtime from 'onnxruntime-node'
import { runtimePackage } from './speech-runtime.ts'

/** Throws and says what is missing. */
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
