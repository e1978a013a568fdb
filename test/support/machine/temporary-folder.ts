import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What cleans up when it is over: a test, or something else that has an end. */
export interface Scope {
  after(close: () => unknown): void
}

/** By folder: what has to end before it is removed. */
const users = new Map<string, (() => Promise<unknown>)[]>()

/** Removed after the test, once `closeFirst` and `endBeforeRemoval` have closed what lies in it. */
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

/** Tests clean up in the order in which they began: a program that was started after its folder was made would write into it while it is being removed. */
export const endBeforeRemoval = (folder: string | undefined, end: () => Promise<unknown>): void => {
  if (folder !== undefined) users.get(folder)?.push(end)
}
