import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** Where the built console is. */
export const distFolder = join(root, 'packages/console/dist')

const stampFile = 'sources.txt'

/** There when the console is built. */
export const consoleStamp = join(distFolder, stampFile)

/** Everything that the built console depends on. */
const sourcesOfConsole = ['packages/{console,sdk,contract}/src/**/*', 'packages/console/build/*', 'package-lock.json']

export const filesOfConsole = (): string[] =>
  globSync(sourcesOfConsole, { cwd: root, withFileTypes: true, exclude: (entry) => entry.name.endsWith('.test.ts') })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Changes when a source changes, and only then: times of files say nothing after a checkout or a copy. */
export const fingerprint = (): string => {
  const hash = createHash('sha256')
  for (const path of filesOfConsole().toSorted()) hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('base64url')
}

/** What the built console was made of; empty when it is not built. */
export const builtFrom = (): string => {
  try {
    return readFileSync(consoleStamp, 'utf8')
  } catch {
    return ''
  }
}

export const noteBuiltFrom = (folder: string, sources: string): void => writeFileSync(join(folder, stampFile), sources)
