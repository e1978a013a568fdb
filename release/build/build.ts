import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, writeManifest } from './folder.ts'
import { writeJavaScript } from './javascript.ts'
import { libraryManifest, serviceManifest } from './manifest.ts'
import { onnxRuntimes, writeOnnxRuntimes } from './onnxruntime.ts'
import { libraries, root, service } from './packages.ts'
import { writeProgram } from './program.ts'
import { serviceSteps } from './service-files.ts'
import { writeTypes } from './types.ts'

/** Rebuilds the folders to publish; `here` builds only this machine's speech runtime. Returns them in publish order. */
export const build = async ({ here = false } = {}): Promise<string[]> => {
  for (const { workspace, dist } of [...libraries, service]) {
    emptyFolder(dist)
    cpSync(join(root, 'packages', workspace, 'README.md'), join(dist, 'README.md'))
    cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
  }
  for (const library of libraries) writeManifest(library.dist, libraryManifest(library))
  writeManifest(service.dist, serviceManifest(service, onnxRuntimes()))
  await Promise.all([writeTypes(), ...libraries.map(writeJavaScript), writeProgram(join(service.dist, 'lib'))])
  for (const step of serviceSteps) await step(service.dist)
  return [...libraries.map(({ dist }) => dist), ...writeOnnxRuntimes(join(root, 'dist'), here), service.dist]
}

if (import.meta.main) {
  const startedAt = performance.now()
  const folders = await build({ here: process.argv.includes('--here') })
  console.log(`${folders.length} packages were built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s:`)
  for (const folder of folders) console.log(`  ${folder.slice(root.length + 1)}`)
}
