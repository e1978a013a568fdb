import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inClone } from '#places.ts'

/** A clone has it for every kind of machine; what is published brings that of the machine, where there is one (`release/build/onnxruntime.ts`). */
const packageFor = (platform: string, arch: string): string => (inClone ? 'onnxruntime-node' : `@offhook/onnxruntime-${platform}-${arch}`)

export const runtimePackage = packageFor(process.platform, process.arch)

/**
 * Why models cannot run here; undefined if they can. ONNX Runtime has no library for Macs with Intel processors. Only looked for, not loaded:
 * it belongs into threads of its own.
 */
export const missingSpeechRuntime = (platform: string = process.platform, arch: string = process.arch): string | undefined => {
  try {
    const home = join(dirname(createRequire(import.meta.url).resolve(packageFor(platform, arch))), '..')
    if (globSync(join('bin', '*', platform, arch, '*.node'), { cwd: home }).length > 0) return undefined
  } catch {
    // It is not installed at all.
  }
  return `ONNX Runtime has no library for ${platform}-${arch}`
}
