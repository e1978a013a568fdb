import { existsSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from '../../../release/pack.ts'
import { until } from '../machine/peer-process.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

/** Generous: on two busy processors it takes a minute. */
const maxMs = 240_000

/**
 * Folder with the packed packages, of this platform only. Packing writes into folders of the clone, so of all concurrent tests the first one packs,
 * and the others wait.
 */
export const packedOnce = async (t: Scope): Promise<string> => {
  const shared = process.env['OFFHOOK_TEST_FOLDER']
  const folder = join(shared ?? (await temporaryFolder(t)), 'packed')
  const ended = join(folder, 'ended')
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  )
  if (isFirst) await pack(folder, { here: true }).finally(() => writeFileSync(ended, ''))
  else await until('the packages are packed', () => existsSync(ended) || undefined, maxMs)
  return folder
}
