import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { consoleStamp, filesOfConsole } from '../../packages/console/build/sources.ts'
import { root } from './packages.ts'
import { writeProgram } from './program.ts'

/**
 * The program of this clone, built: `bin/offhook.mjs` starts it as long as every file that it was made from is what it was, and the sources otherwise.
 * The console's files are among them, so that a start which finds nothing changed need not look whether the console is built.
 */
const folder = join(root, 'packages/server/bundle')

/** npm writes it whenever it changes a package of others. */
const installed = join(root, 'node_modules/.package-lock.json')

export const buildInClone = async (): Promise<void> => {
  const startedAt = Date.now()
  const made = mkdtempSync(`${folder}-`)
  try {
    const sources = (await writeProgram(made)).filter((file) => !file.includes('/node_modules/'))
    const files = new Set([...sources, ...filesOfConsole(), consoleStamp, installed])
    const seen = [...files].map((file) => [file.slice(root.length + 1), ...stampOf(file)] as const)
    // What was changed meanwhile may be in the bundle or not.
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
