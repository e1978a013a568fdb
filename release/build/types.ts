import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { libraries, root } from './packages.ts'

/** Builds the types of all libraries in one run. They import each other with `.ts`, which TypeScript resolves to the adjacent `.d.ts`. */
export const writeTypes = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'offhook-types-'))
  try {
    const args = ['-p', join(import.meta.dirname, 'types.tsconfig.json'), '--outDir', folder]
    await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), args).catch((error: Error & { stdout?: string }) => {
      throw new Error(`The types could not be made:\n${error.stdout ?? error.message}`)
    })
    for (const { workspace, dist } of libraries) cpSync(join(folder, workspace, 'src'), join(dist, 'lib'), { recursive: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
