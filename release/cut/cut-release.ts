import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { datedChangelog } from './changelog.ts'
import { setVersion } from './set-version.ts'
import { afterRelease, mayFollow } from './version.ts'

export interface Cut {
  root: string
  version: string
  /** Date such as 2026-11-16. */
  date: string
  /** Verifies the sources; throws on failure. */
  prove: () => void
}

const lastFile = 'release/last/release.json'

/**
 * Makes two commits: the tagged release, and one that records it as the last release and sets the development version. Pushes nothing.
 */
export const cutRelease = ({ root, version, date, prove }: Cut): void => {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const { version: last } = JSON.parse(readFileSync(join(root, lastFile), 'utf8')) as { version: string }
  if (!mayFollow(version, last))
    throw new Error(`${version} cannot follow ${last}: one step of one part, such as ${afterRelease(last).replace('-dev', '')}.`)
  if (git('status', '--porcelain') !== '') throw new Error('There are changes that are not committed.')
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`There is a tag v${version} already.`)
  const changelog = datedChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, date)
  prove()

  setVersion(root, version)
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  generate(root)
  git('commit', '--all', '--quiet', '--message', `Release ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `Offhook ${version}`)

  const released = readFileSync(join(root, 'docs/api/openapi.json'), 'utf8')
  writeFileSync(join(root, 'release/last/openapi.json'), JSON.stringify(JSON.parse(released)))
  writeFileSync(join(root, lastFile), `${JSON.stringify({ version, commit: git('rev-parse', 'HEAD') }, null, 2)}\n`)
  setVersion(root, afterRelease(version))
  generate(root)
  git('commit', '--all', '--quiet', '--message', `${version} is the last release`)
}

const generate = (root: string): unknown =>
  execFileSync(process.execPath, ['packages/server/src/generate/generate.ts'], { cwd: root, stdio: 'inherit' })
