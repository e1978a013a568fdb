import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What cleans up when it is over: a test, or something else that has an end. */
export interface Scope {
  after(close: () => unknown): void
}

/** Removed after the test, once `closeFirst` has closed what lies in it. */
export const temporaryFolder = async (t: Scope, closeFirst: () => Promise<void> | undefined = () => undefined): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'offhook-test-'))
  t.after(async () => {
    await closeFirst()
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}
