import { readJson, root, workspaceOf, type Published } from './packages.ts'
import { join } from 'node:path'
import { apart } from './program.ts'

type Versions = Record<string, string>

/** What npm is told of a library. */
export const libraryManifest = (library: Published): object => ({
  ...common(library),
  exports: exportsOf(library.library?.index),
  sideEffects: false,
  files: ['lib'],
  dependencies: workspaceOf(library).dependencies ?? {},
})

/** Sources name files with `.ts`, and so does what is built from them; whoever installs the package need not. */
const exportsOf = (index: string | undefined): object => {
  const file = (name: string): object => ({ types: `./lib/${name}.d.ts`, default: `./lib/${name}.js` })
  return { ...(index !== undefined && { '.': file(index) }), './package.json': './package.json', './*.ts': file('*'), './*': file('*') }
}

/** Assistants that are written beside the service import it. */
const forAssistants = '@offhook/sdk'

/** The bundled Node and the speech runtime are for one kind of machine each; npm leaves out those for others. */
export const serviceManifest = (service: Published, onnxRuntimes: Versions): object => {
  const { 'onnxruntime-node': _ofClones, ...all } = workspaceOf(service).dependencies ?? {}
  const dependencies = Object.fromEntries(Object.entries(all).filter(([name]) => name === forAssistants || apart.includes(name)))
  const { optionalDependencies: bundledNodes } = readJson(join(root, 'package.json')) as { optionalDependencies: Versions }
  return {
    ...common(service),
    name: 'offhook',
    bin: { offhook: 'bin/offhook.mjs' },
    // A program: nothing in it is promised to stay as it is.
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
