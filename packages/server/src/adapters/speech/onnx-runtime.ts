import { createRequire } from 'node:module'
import type * as runtime from 'onnxruntime-node'
import { inClone } from '#places.ts'

/** A clone has it for every kind of machine; what is published brings that of the machine, where there is one (`release/build/onnxruntime.ts`). */
export const runtimePackage = inClone ? 'onnxruntime-node' : `@offhook/onnxruntime-${process.platform}-${process.arch}`

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
