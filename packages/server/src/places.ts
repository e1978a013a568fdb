import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, join } from 'node:path'

/** Not the sources themselves run, but what was built from them. In a clone this is done only while nothing has changed since, the console included. */
export const isBuilt = extname(import.meta.filename) === '.js'

/** The package of the service; `src` and what is built from it, `bundle` in a clone and `lib` in a package, are one below. */
const home = join(import.meta.dirname, '..')

/** Sources are in a clone of the repository only: what is published is JavaScript. */
export const inClone = !isBuilt || existsSync(join(home, 'src'))

/** Of the clone. For what exists nowhere else; a package has nothing around it that is ours. */
export const repository = join(home, '../..')

const besides = (inPackage: string, inRepository: string): string => (inClone ? join(repository, inRepository) : join(home, inPackage))

export const manifest = join(home, 'package.json')
export const promptsFolder = join(home, 'assets/prompts')
export const docsFolder = besides('docs', 'docs')
/** What `packages/console/build` makes. */
export const consoleFolder = besides('console', 'packages/console/dist')
/** What `offhook init` writes. */
export const templateFolder = besides('template', 'examples/first-assistant')

/** Where npm is asked: it reads the `.npmrc` of the project around. */
export const projectFolder = (): string => (inClone ? repository : process.cwd())

/** How the service is started, for advice. */
export const startCommand = inClone ? 'npm start' : 'npx offhook'

/** For what can be fetched or made again. Not beside the code, which may be read-only and is replaced by every update. */
export const cacheFolder = (environment: Record<string, string | undefined> = process.env, platform = process.platform): string => {
  const usual = platform === 'darwin' ? 'Library/Caches' : '.cache'
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), usual), 'offhook')
}
