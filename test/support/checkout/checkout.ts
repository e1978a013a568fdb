import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ourRoot } from '../machine/program.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

/** True if this is a clone with the commit. An unpacked archive has no history, a shallow clone little. */
export const knows = (commit: string): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ourRoot, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Separate, runnable clone at a commit: third-party packages are linked from this clone, its own are its own. */
export const checkout = async (t: Scope, commit: string): Promise<string> => {
  const folder = await temporaryFolder(t)
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', ourRoot, folder], { stdio: 'ignore' })
  execFileSync('git', ['checkout', '--quiet', '-B', 'main', commit], { cwd: folder, stdio: 'ignore' })
  linkModules(folder)
  return folder
}

const linkModules = (folder: string): void => {
  const modules = join(ourRoot, 'node_modules')
  const others = readdirSync(modules).filter((name) => !name.startsWith('.') && name !== '@offhook')
  const { workspaces } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { workspaces: string[] }
  mkdirSync(join(folder, 'node_modules/@offhook'), { recursive: true })
  for (const name of [...others, '.bin']) symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  for (const workspace of workspaces.filter((one) => existsSync(join(folder, one)))) {
    const { name } = JSON.parse(readFileSync(join(folder, workspace, 'package.json'), 'utf8')) as { name: string }
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(folder, workspace), join(folder, 'node_modules', name))
  }
}
