import { isPublished, readJson, root, workspaceOf, type Published } from './packages.ts'
import { join } from 'node:path'
import { apart } from './program.ts'

type Versions = Record<string, string>

/** package.json of a published library. */
export const libraryManifest = (library: Published): object => ({
  ...common(library),
  exports: exportsOf(workspaceOf(library).exports ?? {}),
  sideEffects: false,
  files: ['lib'],
  dependencies: workspaceOf(library).dependencies ?? {},
})

/** The workspace's named entry points, except for those of tests. Sources and built files import with `.ts`; users of the package may omit it. */
const exportsOf = (named: Versions): object => {
  const published = Object.entries(named).filter(([, source]) => isPublished(source.replace('./src/', '')))
  const entries = published.flatMap(([name, source]) => {
    const file = source.replace(/^\.\/src\/(.*)\.ts$/, './lib/$1')
    const built = { types: `${file}.d.ts`, default: `${file}.js` }
    return [...new Set([name.replace(/\.ts$/, ''), name])].map((one) => [one, built] as const)
  })
  return { ...Object.fromEntries(entries), './package.json': './package.json' }
}

/** Dependency for assistants written next to the service. */
const forAssistants = '@offhook/sdk'

/** The bundled Node and the speech runtime are platform-specific; npm skips those of other platforms. */
export const serviceManifest = (service: Published, onnxRuntimes: Versions): object => {
  const { 'onnxruntime-node': _ofClones, ...all } = workspaceOf(service).dependencies ?? {}
  const dependencies = Object.fromEntries(Object.entries(all).filter(([name]) => name === forAssistants || apart.includes(name)))
  const { optionalDependencies: bundledNodes } = readJson(join(root, 'package.json')) as { optionalDependencies: Versions }
  return {
    ...common(service),
    bin: { offhook: 'bin/offhook.mjs' },
    // A program: its internals are not public API.
    exports: { './package.json': './package.json' },
    files: ['bin', 'lib', 'assets', 'console', 'docs', 'template', 'THIRD-PARTY-NOTICES.txt'],
    dependencies,
    optionalDependencies: { ...bundledNodes, ...onnxRuntimes },
  }
}

const common = (published: Published): object => {
  const { name, version, description, keywords, license } = workspaceOf(published)
  return { name, version, description, keywords, license, type: 'module', engines: { node: `>=${published.node}` } }
}
