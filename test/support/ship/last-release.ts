import { readFileSync } from 'node:fs'
import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { checkout, knows } from '../checkout/checkout.ts'
import { ourRoot } from '../machine/program.ts'

interface Release {
  version: string
  commit: string
}

/** The last release in a separate clone. Undefined, and the test is skipped, where the history of the repository is missing. */
export const lastRelease = async (t: TestContext): Promise<{ root: string; version: string } | undefined> => {
  const { version, commit } = JSON.parse(readFileSync(join(ourRoot, 'release/last/release.json'), 'utf8')) as Release
  if (!knows(commit)) {
    t.skip(`skipped: the sources of ${version} (${commit}) are not in this checkout; fetch the whole history`)
    return undefined
  }
  const root = await checkout(t, commit)
  // Its console is not tested, and its build takes longer than everything else.
  await rm(join(root, 'packages/console'), { recursive: true })
  await symlink(join(ourRoot, 'packages/console'), join(root, 'packages/console'))
  return { root, version }
}
