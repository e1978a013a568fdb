import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs cleanup at its end: a test, or another scope. */
export interface Scope {
  after(close: () => unknown): void
}

/** Work to end before removal, by folder. */
const users = new Map<string, (() => Promise<unknown>)[]>()

/** Removed after the test, once `closeFirst` and `endBeforeRemoval` have closed its users. */
export const temporaryFolder = async (t: Scope, closeFirst: () => Promise<void> | undefined = () => undefined): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'offhook-test-'))
  users.set(folder, [])
  t.after(async () => {
    for (const end of users.get(folder) ?? []) await end()
    users.delete(folder)
    await closeFirst()
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** Tests clean up in the order of registration: a program started after its folder was made would write into it during the removal. */
export const endBeforeRemoval = (folder: string | undefined, end: () => Promise<unknown>): void => {
  if (folder !== undefined) users.get(folder)?.push(end)
}
