import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { consoleStamp, filesOfConsole } from '../../packages/console/build/build.ts'
import { root } from './packages.ts'
import { writeProgram } from './program.ts'

/**
 * The built program of this clone: `bin/offhook.mjs` starts it while all its source files are unchanged, and the sources otherwise.
 * The console's files are included, so that a start without changes need not check whether the console is built.
 */
const folder = join(root, 'packages/server/bundle')

/** npm writes it whenever it changes a third-party package. */
const installed = join(root, 'node_modules/.package-lock.json')

export const buildInClone = async (): Promise<void> => {
  const startedAt = Date.now()
  const made = mkdtempSync(`${folder}-`)
  try {
    const sources = (await writeProgram(made)).filter((file) => !file.includes('/node_modules/'))
    const files = new Set([...sources, ...filesOfConsole(), consoleStamp, installed])
    const seen = [...files].map((file) => [file.slice(root.length + 1), ...stampOf(file)] as const)
    // A file changed during the build may or may not be in the bundle.
    if (seen.some(([, changed]) => changed >= startedAt)) return
    writeFileSync(join(made, 'made-from.json'), JSON.stringify(seen))
    rmSync(folder, { recursive: true, force: true })
    renameSync(made, folder)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

const stampOf = (file: string): [changed: number, bytes: number] => {
  const { mtimeMs, size } = statSync(file)
  return [mtimeMs, size]
}

if (import.meta.main) await buildInClone()
