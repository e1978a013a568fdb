import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inClone } from '#places.ts'

/**
 * A clone keeps the library of its platform (`bin/after-install.mjs`); a published package brings it, if there is one
 * (`release/build/onnxruntime.ts`).
 */
const packageFor = (platform: string, arch: string): string => (inClone ? 'onnxruntime-node' : `@offhook/onnxruntime-${platform}-${arch}`)

export const runtimePackage = packageFor(process.platform, process.arch)

/**
 * Reason why models cannot run here; undefined if they can. ONNX Runtime has no library for Intel Macs. Checks only for the file: the
 * library is loaded in separate threads.
 */
export const missingSpeechRuntime = (platform: string = process.platform, arch: string = process.arch): string | undefined => {
  try {
    const home = join(dirname(createRequire(import.meta.url).resolve(packageFor(platform, arch))), '..')
    if (globSync(join('bin', '*', platform, arch, '*.node'), { cwd: home }).length > 0) return undefined
  } catch {
    // The package is not installed.
  }
  return `ONNX Runtime has no library for ${platform}-${arch}`
}
