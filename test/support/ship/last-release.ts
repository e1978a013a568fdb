import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { ourRoot } from '../machine/program.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'

const run = promisify(execFile)

interface Release {
  version: string
  commit: string
}

/**
 * The sources of the last release in a folder of their own, as they were, with the packages of others that are installed here. Undefined, and the test
 * is skipped, where the history of the repository is missing.
 */
export const lastRelease = async (t: TestContext): Promise<{ root: string; version: string } | undefined> => {
  const { version, commit } = JSON.parse(await readFile(join(ourRoot, 'release/last/release.json'), 'utf8')) as Release
  const known = await run('git', ['-C', ourRoot, 'cat-file', '-e', `${commit}^{commit}`]).then(
    () => true,
    () => false,
  )
  if (!known) {
    t.skip(`skipped: the sources of ${version} (${commit}) are not in this checkout; fetch the whole history`)
    return undefined
  }
  const root = await temporaryFolder(t)
  await run('sh', ['-c', `git -C "$1" archive "$2" | tar -x -C "$3"`, 'sh', ourRoot, commit, root])
  await linkPackages(root)
  return { root, version }
}

const linkPackages = async (root: string): Promise<void> => {
  const [ours, theirs] = [join(ourRoot, 'node_modules'), join(root, 'node_modules')]
  await mkdir(join(theirs, '@offhook'), { recursive: true })
  for (const name of await readdir(ours))
    if (name !== '@offhook' && !name.startsWith('.')) await symlink(join(ours, name), join(theirs, name))
  // Its console is not what is tested, and to build it takes longer than everything else.
  await rm(join(root, 'packages/console'), { recursive: true })
  await symlink(join(ourRoot, 'packages/console'), join(root, 'packages/console'))
  for (const name of await readdir(join(root, 'packages'))) await symlink(join(root, 'packages', name), join(theirs, '@offhook', name))
}
