import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, join } from 'node:path'

/** True when built code runs instead of the sources. In a clone only while nothing has changed since the build, including the console. */
export const isBuilt = extname(import.meta.filename) === '.js'

/** Package of the service; `src` and its build, `bundle` in a clone and `lib` in a package, are one level below. */
const home = join(import.meta.dirname, '..')

/** Only a clone of the repository has sources: the published package is JavaScript. */
export const inClone = !isBuilt || existsSync(join(home, 'src'))

/** Root of the clone, for files that exist only there; nothing around a package belongs to us. */
export const repository = join(home, '../..')

const besides = (inPackage: string, inRepository: string): string => (inClone ? join(repository, inRepository) : join(home, inPackage))

export const manifest = join(home, 'package.json')
export const promptsFolder = join(home, 'assets/prompts')
/** Weights of the end-of-turn model; training/turn-model makes them. */
export const turnModelFolder = join(home, 'assets/turn-model')
export const docsFolder = besides('docs', 'docs')
/** Output of `packages/console/build`. */
export const consoleFolder = besides('console', 'packages/console/dist')
/** Template of `offhook init`. */
export const templateFolder = besides('template', 'examples/first-assistant')

/** Working folder for npm, which reads the `.npmrc` of the surrounding project. */
export const projectFolder = (): string => (inClone ? repository : process.cwd())

/** Command that starts the service, for advice. */
export const startCommand = inClone ? 'npm start' : 'npx offhook'

/** For files that can be fetched or built again. Not next to the code, which may be read-only and is replaced by every update. */
export const cacheFolder = (environment: Record<string, string | undefined> = process.env, platform = process.platform): string => {
  const usual = platform === 'darwin' ? 'Library/Caches' : '.cache'
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), usual), 'offhook')
}
