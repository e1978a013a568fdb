import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, writeManifest } from './folder.ts'
import { readJson, root, service, workspaceOf } from './packages.ts'

/**
 * The speech runtime as one small package for each kind of machine. `onnxruntime-node` holds the libraries of all of them, and its install script
 * fetches more from elsewhere: without internet the whole installation fails.
 */
const installed = join(root, 'node_modules/onnxruntime-node')
const libraries = 'bin/napi-v6'

/** A kind of machine, and the files that the runtime has for it. */
interface Machine {
  os: 'linux' | 'darwin'
  cpu: 'x64' | 'arm64'
  library: string
}

const machines: readonly Machine[] = [
  { os: 'linux', cpu: 'x64', library: 'libonnxruntime.so.1' },
  { os: 'linux', cpu: 'arm64', library: 'libonnxruntime.so.1' },
  { os: 'darwin', cpu: 'arm64', library: 'libonnxruntime.1.dylib' },
]

const nameOf = ({ os, cpu }: Machine): string => `onnxruntime-${os}-${cpu}`

const { version } = workspaceOf(service)

/** What the service depends on where it fits. */
export const onnxRuntimes = (): Record<string, string> => Object.fromEntries(machines.map((one) => [`@offhook/${nameOf(one)}`, version]))

/** The folders to publish; with `here` only that of this machine. */
export const writeOnnxRuntimes = (into: string, here = false): string[] =>
  machines
    .filter(({ os, cpu }) => !here || (os === process.platform && cpu === process.arch))
    .map((machine) => {
      const folder = join(into, nameOf(machine))
      writeRuntime(machine, folder)
      return folder
    })

const writeRuntime = (machine: Machine, folder: string): void => {
  const { os, cpu, library } = machine
  const its = readJson(join(installed, 'package.json')) as { version: string; dependencies: Record<string, string> }
  emptyFolder(folder)
  for (const name of ['backend', 'binding', 'index', 'version']) copy(folder, `dist/${name}.js`)
  for (const name of [library, 'onnxruntime_binding.node']) copy(folder, `${libraries}/${os}/${cpu}/${name}`)
  writeManifest(folder, {
    name: `@offhook/${nameOf(machine)}`,
    version,
    description: `ONNX Runtime ${its.version} for Node on ${os}-${cpu}, as Offhook uses it: nothing is fetched when it is installed`,
    license: 'MIT',
    main: 'dist/index.js',
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' && { libc: ['glibc'] }),
    files: ['dist', 'bin'],
    dependencies: { 'onnxruntime-common': its.dependencies['onnxruntime-common'] },
  })
  writeFileSync(join(folder, 'README.md'), readme(its.version, machine))
  cpSync(join(import.meta.dirname, 'onnxruntime-licence.txt'), join(folder, 'LICENSE'))
}

const copy = (folder: string, file: string): void => cpSync(join(installed, file), join(folder, file))

const readme = (runtime: string, { os, cpu }: Machine): string => `# ONNX Runtime for ${os}-${cpu}

The files of [onnxruntime-node](https://www.npmjs.com/package/onnxruntime-node) ${runtime} that this kind of machine needs, unchanged, for
[Offhook](https://www.npmjs.com/package/offhook)'s embedded speech. It has no install script. Licence: MIT, Microsoft Corporation.
`
