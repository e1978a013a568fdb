import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyFolder, writeManifest } from './folder.ts'
import { readJson, root, service, workspaceOf } from './packages.ts'

/**
 * The speech runtime as one small package per platform. `onnxruntime-node` contains the libraries of all of them, and its install script
 * downloads more: without internet access the whole installation fails.
 */
const name = 'onnxruntime-node'
const installed = join(root, 'node_modules', name)
const libraries = 'bin/napi-v6'

/** Platform and its runtime files. */
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

/** Optional dependencies of the service, by platform. */
export const onnxRuntimes = (): Record<string, string> => Object.fromEntries(machines.map((one) => [`@offhook/${nameOf(one)}`, version]))

/** Folders to publish; with `here` only this machine's. */
export const writeOnnxRuntimes = (into: string, here = false): string[] => {
  const isHere = ({ os, cpu }: Machine): boolean => os === process.platform && cpu === process.arch
  const folderOf = (machine: Machine): string => join(into, nameOf(machine))
  const ofThisMachine = machines.filter(isHere)
  const others = here ? [] : machines.filter((machine) => !isHere(machine))
  for (const machine of ofThisMachine) writeRuntime(machine, installed, folderOf(machine))
  if (others.length > 0)
    withWholePackage((whole) => {
      for (const machine of others) writeRuntime(machine, whole, folderOf(machine))
    })
  return [...ofThisMachine, ...others].map(folderOf)
}

/** Fetches what `bin/after-install.mjs` removed: the libraries of other machines. The lock file says what it must be. */
const withWholePackage = (use: (folder: string) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), 'offhook-onnxruntime-'))
  try {
    const { version: wanted, integrity } = lockedRuntime()
    const args = ['pack', `${name}@${wanted}`, '--json', '--prefer-offline', `--pack-destination=${folder}`]
    const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as { filename: string; integrity: string }[]
    if (packed?.integrity !== integrity) throw new Error(`The registry's ${name} ${wanted} is not the one of package-lock.json.`)
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder])
    use(join(folder, 'package'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const lockedRuntime = (): { version: string; integrity: string } => {
  const { packages } = readJson(join(root, 'package-lock.json')) as { packages: Record<string, { version: string; integrity: string }> }
  const locked = packages[`node_modules/${name}`]
  if (locked === undefined) throw new Error(`package-lock.json has no ${name}.`)
  return locked
}

const writeRuntime = (machine: Machine, from: string, folder: string): void => {
  const { os, cpu, library } = machine
  const its = readJson(join(from, 'package.json')) as { version: string; dependencies: Record<string, string> }
  emptyFolder(folder)
  const copy = (file: string): void => cpSync(join(from, file), join(folder, file))
  for (const one of ['backend', 'binding', 'index', 'version']) copy(`dist/${one}.js`)
  for (const one of [library, 'onnxruntime_binding.node']) copy(`${libraries}/${os}/${cpu}/${one}`)
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

const readme = (runtime: string, { os, cpu }: Machine): string => `# ONNX Runtime for ${os}-${cpu}

The files of [onnxruntime-node](https://www.npmjs.com/package/onnxruntime-node) ${runtime} that this kind of machine needs, unchanged, for
Offhook's embedded speech. It has no install script. Licence: MIT, Microsoft Corporation.
`
