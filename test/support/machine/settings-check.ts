import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { offhook, output } from './program.ts'
import { temporaryFolder, type Scope } from './temporary-folder.ts'

/** The program itself accepts these settings; in a file it rejects unknown names. */
export const assertSettings = async (t: Scope, settings: Readonly<Record<string, string>>): Promise<void> => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'offhook.env')
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
  await writeFile(file, lines.join(''), { mode: 0o600 })
  const [code, , complaint] = await output(offhook(t, ['--config', file, 'config', '--check'], { OFFHOOK_DATA: folder }))
  assert.equal(code, 0, complaint)
}
