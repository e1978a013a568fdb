import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** Whether this is a clone that knows the commit. An unpacked archive has no history. */
export const knows = (commit: string): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A clone of its own at a commit, whose programs run: packages of others are ours, its own are its own. The caller removes it. */
export const checkout = (commit: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'offhook-checkout-'))
  const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder], { stdio: 'ignore' })
  git('checkout', '--quiet', '-B', 'main', commit)
  linkModules(folder)
  return folder
}

const linkModules = (folder: string): void => {
  const modules = join(root, 'node_modules')
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
