import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Environment of a user's terminal: without the npm, Node and settings of the test run. */
export const thirdPartyEnvironment = (home: string, node?: string): Record<string, string> => {
  const ours =
    /^(npm_(?!config_)|npm_config_(local_prefix|prefix|global_prefix|user_agent)$|OFFHOOK_|NODE_(TEST_CONTEXT|COMPILE_CACHE|OPTIONS|OF_CALLER)$)/
  const kept = Object.entries(process.env).filter(([name, value]) => !ours.test(name) && value !== undefined)
  const { PATH = '', ...rest } = Object.fromEntries(kept) as Record<string, string>
  const path = PATH.split(':').filter((folder) => !folder.includes('node_modules'))
  return { ...rest, PATH: [...(node === undefined ? [] : [join(node, '..')]), ...path].join(':'), XDG_CACHE_HOME: join(home, 'cache') }
}

/** Installs into a folder without project files; with `options`, such as `--ignore-scripts`. */
export const npmInstall = async (folder: string, what: readonly string[], options: readonly string[] = []): Promise<void> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...options, ...what]
  await run('npm', args, { cwd: folder, env: thirdPartyEnvironment(folder) })
}

/** Installs the exact versions of a lock file, which stays where it is. Returns the folder of the packages. */
export const npmCi = async (locked: string, folder: string): Promise<string> => {
  for (const name of ['package.json', 'package-lock.json']) await cp(join(locked, name), join(folder, name))
  const args = ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', args, { cwd: folder, env: thirdPartyEnvironment(folder) })
  return join(folder, 'node_modules')
}

const versions = { 20: '20.20.2', 22: '22.23.3' }

export interface OneNode {
  major: 20 | 22 | 24
  /** Path of the program. */
  path: string
}

/** Nodes of users, from npm; the newest is the one that runs the tests. */
export const thirdPartyNodes = async (folder: string): Promise<OneNode[]> => {
  const aliases = Object.entries(versions).map(([major, version]) => `node${major}@npm:node-linux-${process.arch}@${version}`)
  await npmInstall(folder, aliases, ['--ignore-scripts'])
  const path = (major: number): string => join(folder, `node_modules/node${major}/bin/node`)
  return [
    { major: 20, path: path(20) },
    { major: 22, path: path(22) },
    { major: 24, path: process.execPath },
  ]
}

const bunVersion = '1.4.4'

/** Another JavaScript runtime, from npm. */
export const thirdPartyBun = async (folder: string): Promise<string> => {
  const name = `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64-baseline'}`
  await npmInstall(folder, [`${name}@${bunVersion}`], ['--ignore-scripts'])
  return join(folder, 'node_modules', name, 'bin/bun')
}

const denoVersion = '2.9.6'

/** A third JavaScript runtime, from npm: its packages for one system each hold the binary. */
export const thirdPartyDeno = async (folder: string): Promise<string> => {
  const name = `@deno/linux-${process.arch}-glibc`
  await npmInstall(folder, [`${name}@${denoVersion}`], ['--ignore-scripts'])
  return join(folder, 'node_modules', name, 'deno')
}
